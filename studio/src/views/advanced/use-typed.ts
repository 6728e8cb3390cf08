// The text of a field that begins with what is known, and is the person's own from the first letter on.
// Promises: what is known later takes the place of what was not touched, or is saved by now, and of nothing else.
import { useReducer, useRef } from "preact/hooks";

export type Typed = { readonly text: string; type(text: string): void };

export function useTyped(known: string): Typed {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const now = useRef({ known, text: known });
  // Decided while it is drawn: an effect comes after it, and over what is typed by then.
  if (now.current.known !== known) now.current = { known, text: textAfter(now.current, known) };
  const type = (text: string) => {
    now.current = { ...now.current, text };
    redraw(undefined);
  };
  return { text: now.current.text, type };
}

/** What a field says when something else is known than before. */
export function textAfter(before: { known: string; text: string }, known: string): string {
  const isOwn = before.text !== before.known && before.text.trim() !== before.known;
  return isOwn ? before.text : known;
}
