// Which skills an agent may use, as the configuration says it: `agents.list[].skills` absent, a list, or an empty list.
// Promises: pure; a change of one skill leaves every other name as it is, known here or not. A file that names its
// agents in `agents.entries` is changed there.
import type { Config, Json } from "../config";

/** The list of names; undefined stands for all skills, new ones included. */
export type Names = string[] | undefined;
export type Mode = "all" | "selected" | "none";

export type Access = {
  mode: Mode;
  /** What the agent's own entry says. */
  own: Names;
  /** What holds: its own list, else the one for all agents. */
  names: Names;
  /** Whether `agents.defaults.skills` names the skills of every agent without a list: then none can have all. */
  hasCommonList: boolean;
};

export function accessOf(config: Config, agentId: string): Access {
  const agents = objectAt(config, "agents");
  const own = namesIn(entryOf(config, agentId)?.["skills"]);
  const common = namesIn(objectAt(agents, "defaults")?.["skills"]);
  const names = own ?? common;
  return { mode: modeOf(names), own, names, hasCommonList: common !== undefined };
}

export const modeOf = (names: Names): Mode => (names === undefined ? "all" : names.length > 0 ? "selected" : "none");

/** Whether the agent may use the skill of this name. */
export const allows = ({ names }: Access, name: string): boolean =>
  names === undefined || names.some((known) => known.trim() === name.trim());

/** The configuration with another list for the agent. It changes what it is given. */
export function withNames(config: Config, agentId: string, names: Names): Config {
  const entry = entryOf(config, agentId) ?? (names && added(config, agentId));
  if (!entry) return config;
  if (names === undefined) delete entry["skills"];
  else entry["skills"] = names;
  return config;
}

/** The names with one more, or without it; the order and all others stay. `every`: all that there are, for "all". */
export function switched(names: Names, name: string, isOn: boolean, every: readonly string[]): Names {
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

/** An agent that the file does not name yet: the one that is there without being named. */
function added(config: Config, agentId: string): Entry {
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

function namesIn(value: Json | undefined): Names {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : undefined;
}

const isObject = (value: Json | undefined): value is Entry =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function objectAt(value: Entry | undefined, name: string): Entry | undefined {
  const found = value?.[name];
  return isObject(found) ? found : undefined;
}
