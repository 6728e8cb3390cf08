// What a catalogue of words is. Each view has one, in a file of its own: `words({ en: {…}, zh: {…} })`.
// Promises: the compiler says when a language lacks a key, or a call lacks a value.

/** A sentence, or its forms by number; `{name}` stands for a value, `{n}` for the number that chooses the form. */
export type Phrase = string | { readonly one: string; readonly other: string };

export type Catalogue<E extends Record<string, Phrase>> = {
  en: E;
  /** Chinese has one form for all numbers. */
  zh: { [K in keyof E]: string };
};

export function words<const E extends Record<string, Phrase>>(catalogue: {
  en: E;
  zh: { [K in keyof NoInfer<E>]: string };
}): Catalogue<E> {
  return catalogue;
}

/** The names in braces of a phrase. */
export type Names<P> = P extends string
  ? P extends `${string}{${infer N}}${infer Rest}`
    ? N | Names<Rest>
    : never
  : P extends { other: infer O }
    ? Names<O> | "n"
    : never;
