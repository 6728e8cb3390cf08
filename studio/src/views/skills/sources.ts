// Where a skill comes from, in words.
import { t } from "../../words";

const words = new Map([
  ["openclaw-workspace", "workspace"],
  ["agents-skills-project", "project"],
  ["agents-skills-personal", "personal"],
  ["openclaw-managed", "managed"],
  ["openclaw-bundled", "bundled"],
  ["openclaw-extra", "extra"],
] as const);

/** The word; what nobody knows is shown as it is. */
export function sourceWord(source: string): string {
  const word = (words as ReadonlyMap<string, "workspace" | "project" | "personal" | "managed" | "bundled" | "extra">).get(source);
  return word ? t(`skills.${word}`) : source;
}

/** Only these folders are the owner's to take away. */
export const isRemovable = (source: string): boolean => source === "openclaw-managed" || source === "openclaw-workspace";
