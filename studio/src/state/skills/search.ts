// Search and filters of skill lists, each choice with its count.
// Every word of a search must occur in name, description, source or key, ignoring case.
import { type Readiness, everyReadiness } from "../readiness";

export type Searchable = { name: string; description: string; source: string; skillKey: string };

/** `sourceWord`: the source in the person's language. */
export function matchesSearch(skill: Searchable, query: string, sourceWord: string): boolean {
  const words = fold(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = textOf(skill, sourceWord);
  return words.every((word) => text.includes(word));
}

/** The searchable text, cached between key presses. */
const searchTexts = new WeakMap<Searchable, { sourceWord: string; text: string }>();

function textOf(skill: Searchable, sourceWord: string): string {
  const known = searchTexts.get(skill);
  if (known?.sourceWord === sourceWord) return known.text;
  const text = fold([skill.name, skill.description, skill.source, sourceWord, skill.skillKey].join("\n"));
  searchTexts.set(skill, { sourceWord, text });
  return text;
}

const fold = (text: string): string => text.normalize("NFKC").toLowerCase();

/** The number of skills of each readiness. */
export function countsOf<T>(items: readonly T[], of: (item: T) => Readiness): Record<Readiness, number> {
  const counts = Object.fromEntries(everyReadiness.map((word) => [word, 0])) as Record<Readiness, number>;
  for (const item of items) counts[of(item)] += 1;
  return counts;
}
