// The text of a field that starts with the known value, and belongs to the person once they type.
// A newer known value replaces only text that was not edited, or is saved by now.
import { useReducer, useRef } from "preact/hooks";

export type FieldText = { readonly text: string; type(text: string): void };

export function useFieldText(known: string): FieldText {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const now = useRef({ known, text: known });
  // During render: an effect would come later and overwrite what was typed by then.
  if (now.current.known !== known) now.current = { known, text: nextFieldText(now.current, known) };
  const type = (text: string) => {
    now.current = { ...now.current, text };
    redraw(undefined);
  };
  return { text: now.current.text, type };
}

/** The text of a field after its known value changed. */
export function nextFieldText(before: { known: string; text: string }, known: string): string {
  const isOwn = before.text !== before.known && before.text.trim() !== before.known;
  return isOwn ? before.text : known;
}
