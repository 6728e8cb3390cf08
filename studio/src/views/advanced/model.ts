// The model of an agent in its entry of the configuration: alone, or with those to ask when it fails.
// Promises: what else stands beside them is kept.
import { objectOf, textsOf } from "../../state/agent-entry";
import type { Json } from "../../state/config";

export type ModelChoice = { primary?: string; fallbacks: readonly string[] };

/** Nothing when nothing is said: then what every agent has holds, fallbacks included. */
export function choiceOf(model: Json | undefined): ModelChoice | undefined {
  if (typeof model === "string") return { primary: model, fallbacks: [] };
  if (typeof model !== "object" || model === null || Array.isArray(model)) return undefined;
  const primary = model["primary"];
  return { ...(typeof primary === "string" && { primary }), fallbacks: textsOf(model["fallbacks"]) };
}

/** How a choice is written in place of `before`; the short way where it says everything. */
export function written(before: Json | undefined, choice: ModelChoice | undefined): Json | undefined {
  if (!choice?.primary) return undefined;
  const { fallbacks: _, ...others } = objectOf(before);
  const all = { ...others, primary: choice.primary, ...(choice.fallbacks.length > 0 && { fallbacks: [...choice.fallbacks] }) };
  return Object.keys(all).length === 1 ? choice.primary : all;
}

/** The list with the entry at `at` one place earlier. */
export function movedUp(list: readonly string[], at: number): string[] {
  const moved = [...list];
  const [one] = moved.splice(at, 1);
  if (one !== undefined) moved.splice(Math.max(0, at - 1), 0, one);
  return moved;
}
