// The entry of one agent in the configuration, `agents.list[]`: found, and changed without touching the others.
// Promises: an agent that is only there because none is configured gets an entry of its own with its first change.
import { type Change, type Config, type Json, changeConfig } from "./config";

/** What the configuration says of an agent; nothing when it has no entry. */
export function entryOf(config: Config, agentId: string): Config {
  return listOf(config).find((entry) => isOf(entry, agentId)) ?? {};
}

/** The configuration with another entry for an agent. A value that is `undefined` is taken out. */
export function withEntry(config: Config, agentId: string, change: (entry: Config) => Changed): Config {
  const list = listOf(config);
  const known = list.some((entry) => isOf(entry, agentId));
  const changed = (known ? list : [...list, { id: agentId }]).map((entry) =>
    isOf(entry, agentId) ? kept({ ...entry, ...change(structuredClone(entry)) }) : entry,
  );
  return { ...config, agents: { ...objectOf(config["agents"]), list: changed } };
}

/** New values of an entry, by name; `undefined` takes one away. */
export type Changed = { [name: string]: Json | undefined };

export const changeEntry = (agentId: string, change: (entry: Config) => Changed): Promise<Change> =>
  changeConfig((config) => withEntry(config, agentId, change));

/** An object as it is; an empty one for anything else. */
export const objectOf = (value: Json | undefined): Config =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};

/** The texts of a list; none for anything else. */
export const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** Without what is undefined. */
export function kept(values: Changed): Config {
  return Object.fromEntries(Object.entries(values).filter((pair): pair is [string, Json] => pair[1] !== undefined));
}

function listOf(config: Config): Config[] {
  const list = objectOf(config["agents"])["list"];
  return Array.isArray(list) ? list.map(objectOf) : [];
}

/** Ids are compared as the gateway does: their case does not count. */
function isOf(entry: Config, agentId: string): boolean {
  const id = entry["id"];
  return typeof id === "string" && id.trim().toLowerCase() === agentId;
}
