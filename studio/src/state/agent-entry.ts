// The entry of one agent in `agents.list[]` of the configuration, changed without touching the others.
// An agent that exists only as the default gets an entry of its own with its first change.
import { type ConfigChange, type Config, type Json, changeConfig } from "./config";

/** The agent's entry; empty if there is none. */
export function entryOf(config: Config, agentId: string): Config {
  return listOf(config).find((entry) => isOf(entry, agentId)) ?? {};
}

/** The configuration with the changed entry. An `undefined` value removes its key. */
export function withEntry(config: Config, agentId: string, change: (entry: Config) => EntryPatch): Config {
  const list = listOf(config);
  const known = list.some((entry) => isOf(entry, agentId));
  const changed = (known ? list : [...list, { id: agentId }]).map((entry) =>
    isOf(entry, agentId) ? withoutUndefined({ ...entry, ...change(structuredClone(entry)) }) : entry,
  );
  return { ...config, agents: { ...objectOf(config["agents"]), list: changed } };
}

/** New values by key; `undefined` removes the key. */
export type EntryPatch = { [name: string]: Json | undefined };

export const changeEntry = (agentId: string, change: (entry: Config) => EntryPatch): Promise<ConfigChange> =>
  changeConfig((config) => withEntry(config, agentId, change));

/** The value if it is an object, else an empty one. */
export const objectOf = (value: Json | undefined): Config =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};

/** The strings of a list, else an empty list. */
export const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

export function withoutUndefined(values: EntryPatch): Config {
  return Object.fromEntries(Object.entries(values).filter((pair): pair is [string, Json] => pair[1] !== undefined));
}

function listOf(config: Config): Config[] {
  const list = objectOf(config["agents"])["list"];
  return Array.isArray(list) ? list.map(objectOf) : [];
}

/** Ids are compared like in the gateway: ignoring case. */
function isOf(entry: Config, agentId: string): boolean {
  const id = entry["id"];
  return typeof id === "string" && id.trim().toLowerCase() === agentId;
}
