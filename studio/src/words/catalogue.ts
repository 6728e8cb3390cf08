// The catalogue of a view's texts, in a file of its own: `words({ en: {…}, zh: {…} })`.
// A missing key or value does not compile.

/** A text, or its number forms. `{name}` is a placeholder; `{n}` is the number that selects the form. */
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

/** The placeholders of a phrase. */
export type Names<P> = P extends string
  ? P extends `${string}{${infer N}}${infer Rest}`
    ? N | Names<Rest>
    : never
  : P extends { other: infer O }
    ? Names<O> | "n"
    : never;
