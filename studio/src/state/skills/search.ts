// Finding skills in a list: by words, by access, by readiness, each choice with its count.
// Promises: pure; every word of a search must be somewhere in name, description, source or key, whatever its case.
import { type Readiness, everyReadiness } from "../readiness";

export type Searched = { name: string; description: string; source: string; skillKey: string };

/** Whether a skill fits a search; `sourceWord` is where it comes from, in the person's language. */
export function fits(skill: Searched, query: string, sourceWord: string): boolean {
  const words = folded(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = textOf(skill, sourceWord);
  return words.every((word) => text.includes(word));
}

/** What a skill is found by, kept for the next letter of a search. */
const texts = new WeakMap<Searched, { sourceWord: string; text: string }>();

function textOf(skill: Searched, sourceWord: string): string {
  const known = texts.get(skill);
  if (known?.sourceWord === sourceWord) return known.text;
  const text = folded([skill.name, skill.description, skill.source, sourceWord, skill.skillKey].join("\n"));
  texts.set(skill, { sourceWord, text });
  return text;
}

const folded = (text: string): string => text.normalize("NFKC").toLowerCase();

/** How many there are of each readiness. */
export function countsOf<T>(items: readonly T[], of: (item: T) => Readiness): Record<Readiness, number> {
  const counts = Object.fromEntries(everyReadiness.map((word) => [word, 0])) as Record<Readiness, number>;
  for (const item of items) counts[of(item)] += 1;
  return counts;
}
