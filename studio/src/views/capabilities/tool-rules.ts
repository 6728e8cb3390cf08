// An agent's tool rules: a profile and lists of names in `tools` of its entry.
// A change touches no other key of `tools`. The gateway decides which tools result.
import type { CatalogTool, ToolGroup } from "../../generated/protocol";
import { type EntryPatch, withoutUndefined, objectOf, textsOf } from "../../state/agent-entry";
import type { Config, Json } from "../../state/config";

export const lists = ["allow", "alsoAllow", "deny"] as const;
export type ListName = (typeof lists)[number];

/** The agent's own rules; without a profile, the common one applies. */
export type ToolRules = { profile?: string } & Record<ListName, readonly string[]>;

export function toolRulesOf(tools: Json | undefined): ToolRules {
  const of = objectOf(tools);
  const profile = of["profile"];
  return {
    ...(typeof profile === "string" && { profile }),
    allow: textsOf(of["allow"]),
    alsoAllow: textsOf(of["alsoAllow"]),
    deny: textsOf(of["deny"]),
  };
}

/** `tools` with the new rules; undefined if nothing is left. */
export function withToolRules(tools: Json | undefined, rules: ToolRules): Config | undefined {
  const values: EntryPatch = { profile: rules.profile };
  for (const list of lists) values[list] = rules[list].length > 0 ? [...rules[list]] : undefined;
  const all = withoutUndefined({ ...objectOf(tools), ...values });
  return Object.keys(all).length > 0 ? all : undefined;
}

export const isEmpty = (rules: ToolRules): boolean => !rules.profile && lists.every((list) => rules[list].length === 0);

/** Whether a word of a list names a tool: by its name, by a group, or with `*` for any letters. */
export function namesTool(word: string, tool: string, groups: readonly ToolGroup[]): boolean {
  const pattern = word.trim().toLowerCase();
  const group = groups.find(({ id }) => pattern === `group:${id}`);
  if (group) return group.tools.some(({ id }) => id === tool);
  if (pattern === "group:openclaw") return true;
  return matchesParts(pattern.split("*"), tool);
}

/** Whether a text has these parts in this order. Linear: no pattern is slow. */
function matchesParts(parts: readonly string[], text: string): boolean {
  const [first = "", ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Words of `deny` that name a tool together with others: removing one would give more than this tool. */
export const widerDenials = (rules: ToolRules, tool: string, groups: readonly ToolGroup[]): string[] =>
  rules.deny.filter((word) => !isExactly(word, tool) && namesTool(word, tool, groups));

export function withoutTool(rules: ToolRules, tool: string): ToolRules {
  return { ...rules, alsoAllow: without(rules.alsoAllow, tool), deny: [...without(rules.deny, tool), tool] };
}

/** Gives a tool, as far as an agent's own rules can. */
export function withTool(rules: ToolRules, tool: CatalogTool, groups: readonly ToolGroup[]): ToolRules {
  const isIn = (words: readonly string[]) => words.some((word) => namesTool(word, tool.id, groups));
  const deny = without(rules.deny, tool.id);
  const isListed = rules.allow.length === 0 || isIn(rules.allow);
  const isInProfile = !rules.profile || tool.defaultProfiles.includes(rules.profile);
  const isThere = isIn(rules.alsoAllow) || (isListed && isInProfile);
  return { ...rules, deny, alsoAllow: isThere ? rules.alsoAllow : [...rules.alsoAllow, tool.id] };
}

const isExactly = (word: string, tool: string) => word.trim().toLowerCase() === tool;

const without = (words: readonly string[], tool: string): string[] => words.filter((word) => !isExactly(word, tool));
