// The source of a skill, in words.
import { t } from "../../words";

const words = new Map([
  ["openclaw-workspace", "workspace"],
  ["agents-skills-project", "project"],
  ["agents-skills-personal", "personal"],
  ["openclaw-managed", "managed"],
  ["openclaw-bundled", "bundled"],
  ["openclaw-extra", "extra"],
] as const);

/** An unknown source is shown as it is. */
export function sourceWord(source: string): string {
  const word = (words as ReadonlyMap<string, "workspace" | "project" | "personal" | "managed" | "bundled" | "extra">).get(source);
  return word ? t(`skills.${word}`) : source;
}

/** Only skills in these folders can be removed. */
export const isRemovable = (source: string): boolean => source === "openclaw-managed" || source === "openclaw-workspace";
