// Which tools an agent is offered, as `tools` of its entry says it: a profile, and lists of names.
// Promises: a change touches no other key of `tools`. Leaves to the gateway: whether the agent has a tool then.
import type { CatalogTool, ToolGroup } from "../../generated/protocol";
import { type Changed, kept, objectOf, textsOf } from "../../state/agent-entry";
import type { Config, Json } from "../../state/config";

export const lists = ["allow", "alsoAllow", "deny"] as const;
export type ListName = (typeof lists)[number];

/** What an agent says for itself; without a profile, the one of every agent holds. */
export type Offer = { profile?: string } & Record<ListName, readonly string[]>;

export function offerOf(tools: Json | undefined): Offer {
  const of = objectOf(tools);
  const profile = of["profile"];
  return {
    ...(typeof profile === "string" && { profile }),
    allow: textsOf(of["allow"]),
    alsoAllow: textsOf(of["alsoAllow"]),
    deny: textsOf(of["deny"]),
  };
}

/** `tools` with another offer; nothing at all when there is nothing left to say. */
export function withOffer(tools: Json | undefined, offer: Offer): Config | undefined {
  const said: Changed = { profile: offer.profile };
  for (const list of lists) said[list] = offer[list].length > 0 ? [...offer[list]] : undefined;
  const all = kept({ ...objectOf(tools), ...said });
  return Object.keys(all).length > 0 ? all : undefined;
}

export const saysNothing = (offer: Offer): boolean => !offer.profile && lists.every((list) => offer[list].length === 0);

/** Whether a word of a list names a tool: by its name, by a group, or with `*` for any letters. */
export function names(word: string, tool: string, groups: readonly ToolGroup[]): boolean {
  const wanted = word.trim().toLowerCase();
  const group = groups.find(({ id }) => wanted === `group:${id}`);
  if (group) return group.tools.some(({ id }) => id === tool);
  if (wanted === "group:openclaw") return true;
  return fits(wanted.split("*"), tool);
}

/** Whether a text has these parts in this order, with anything between them. One look at each: no pattern is slow. */
function fits(parts: readonly string[], text: string): boolean {
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

/** The words of `deny` that name a tool together with others: taking one out gives more than this tool. */
export const widerDenials = (offer: Offer, tool: string, groups: readonly ToolGroup[]): string[] =>
  offer.deny.filter((word) => !isExactly(word, tool) && names(word, tool, groups));

/** The offer that takes a tool away. */
export function taken(offer: Offer, tool: string): Offer {
  return { ...offer, alsoAllow: without(offer.alsoAllow, tool), deny: [...without(offer.deny, tool), tool] };
}

/** The offer that gives a tool, as far as an agent's own words can. */
export function given(offer: Offer, tool: CatalogTool, groups: readonly ToolGroup[]): Offer {
  const isIn = (words: readonly string[]) => words.some((word) => names(word, tool.id, groups));
  const deny = without(offer.deny, tool.id);
  const isListed = offer.allow.length === 0 || isIn(offer.allow);
  const isInProfile = !offer.profile || tool.defaultProfiles.includes(offer.profile);
  const isThere = isIn(offer.alsoAllow) || (isListed && isInProfile);
  return { ...offer, deny, alsoAllow: isThere ? offer.alsoAllow : [...offer.alsoAllow, tool.id] };
}

const isExactly = (word: string, tool: string) => word.trim().toLowerCase() === tool;

const without = (words: readonly string[], tool: string): string[] => words.filter((word) => !isExactly(word, tool));
