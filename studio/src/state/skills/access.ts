// An agent's skill access in the configuration: `agents.list[].skills` is absent, a list, or an empty list.
// Pure. A change of one skill keeps every other name, known or not. A file with `agents.entries` is changed there.
import type { Config, Json } from "../config";

/** Undefined means all skills, new ones included. */
export type AllowedNames = string[] | undefined;
export type AccessMode = "all" | "selected" | "none";

export type AgentSkills = {
  mode: AccessMode;
  /** The agent's own list. */
  own: AllowedNames;
  /** The effective list: its own, else the common one. */
  names: AllowedNames;
  /** `agents.defaults.skills` is set: then an agent without a list cannot have all skills. */
  hasCommonList: boolean;
};

export function accessOf(config: Config, agentId: string): AgentSkills {
  const agents = objectAt(config, "agents");
  const own = namesIn(entryOf(config, agentId)?.["skills"]);
  const common = namesIn(objectAt(agents, "defaults")?.["skills"]);
  const names = own ?? common;
  return { mode: modeOf(names), own, names, hasCommonList: common !== undefined };
}

export const modeOf = (names: AllowedNames): AccessMode => (names === undefined ? "all" : names.length > 0 ? "selected" : "none");

export const allows = ({ names }: AgentSkills, name: string): boolean =>
  names === undefined || names.some((known) => known.trim() === name.trim());

/** Sets the agent's list. Modifies the configuration it is given. */
export function withNames(config: Config, agentId: string, names: AllowedNames): Config {
  const entry = entryOf(config, agentId) ?? (names && addEntry(config, agentId));
  if (!entry) return config;
  if (names === undefined) delete entry["skills"];
  else entry["skills"] = names;
  return config;
}

/** The names with or without one skill; order and other names stay. `every` is the meaning of "all". */
export function withSkill(names: AllowedNames, name: string, isOn: boolean, every: readonly string[]): AllowedNames {
  const now = names ?? [...new Set(every)];
  const isListed = now.some((known) => known.trim() === name.trim());
  if (isOn === isListed) return names;
  return isOn ? [...now, name] : now.filter((known) => known.trim() !== name.trim());
}

type Entry = { [name: string]: Json };

function entryOf(config: Config, agentId: string): Entry | undefined {
  const agents = objectAt(config, "agents");
  const isMeant = (id: Json | undefined) => typeof id === "string" && id.trim().toLowerCase() === agentId.toLowerCase();
  const list = agents?.["list"];
  if (Array.isArray(list)) return list.filter(isObject).find((entry) => isMeant(entry["id"]));
  const entries = objectAt(agents, "entries");
  const id = Object.keys(entries ?? {}).find(isMeant);
  return id === undefined ? undefined : objectAt(entries, id);
}

/** An agent that is not in the file yet: the implicit default. */
function addEntry(config: Config, agentId: string): Entry {
  const agents = objectAt(config, "agents") ?? {};
  config["agents"] = agents;
  const entry: Entry = { id: agentId };
  const entries = objectAt(agents, "entries");
  if (entries && !Array.isArray(agents["list"])) {
    const unnamed: Entry = {};
    entries[agentId] = unnamed;
    return unnamed;
  }
  agents["list"] = [...(Array.isArray(agents["list"]) ? agents["list"] : []), entry];
  return entry;
}

function namesIn(value: Json | undefined): AllowedNames {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : undefined;
}

const isObject = (value: Json | undefined): value is Entry =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function objectAt(value: Entry | undefined, name: string): Entry | undefined {
  const found = value?.[name];
  return isObject(found) ? found : undefined;
}
