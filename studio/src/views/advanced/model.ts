// The model in an agent's entry of the configuration: alone, or with fallbacks.
// Other keys beside them are kept.
import { objectOf, textsOf } from "../../state/agent-entry";
import type { Json } from "../../state/config";

export type ModelChoice = { primary?: string; fallbacks: readonly string[] };

/** Undefined if the entry sets no model: then the common one applies, with its fallbacks. */
export function choiceOf(model: Json | undefined): ModelChoice | undefined {
  if (typeof model === "string") return { primary: model, fallbacks: [] };
  if (typeof model !== "object" || model === null || Array.isArray(model)) return undefined;
  const primary = model["primary"];
  return { ...(typeof primary === "string" && { primary }), fallbacks: textsOf(model["fallbacks"]) };
}

/** The value to write in place of `before`, in the short form if possible. */
export function toConfigValue(before: Json | undefined, choice: ModelChoice | undefined): Json | undefined {
  if (!choice?.primary) return undefined;
  const { fallbacks: _, ...others } = objectOf(before);
  const all = { ...others, primary: choice.primary, ...(choice.fallbacks.length > 0 && { fallbacks: [...choice.fallbacks] }) };
  return Object.keys(all).length === 1 ? choice.primary : all;
}

/** The list with the entry at `at` moved up by one. */
export function moveUp(list: readonly string[], at: number): string[] {
  const moved = [...list];
  const [one] = moved.splice(at, 1);
  if (one !== undefined) moved.splice(Math.max(0, at - 1), 0, one);
  return moved;
}
