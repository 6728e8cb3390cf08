// A text between a file and a text field, and how large it is.
// Promises: a file keeps its line ends; a text that was not changed is the file, byte for byte.

/** A file has at most so many characters in a prompt; what is beyond is cut out of its middle. */
export const PROMPT_CHARACTERS = 20_000;

/** What a text field makes of a text: every line ends in one `\n`. */
export const inField = (text: string): string => text.replace(/\r\n?/g, "\n");

/** The text of a file whose text field says `field`; `base` is what the file says now. */
export function fromField(field: string, base: string): string {
  if (field === inField(base)) return base;
  return base.includes("\r\n") ? field.replaceAll("\n", "\r\n") : field;
}

export type Size = { lines: number; characters: number; bytes: number };

export function sizeOf(text: string): Size {
  let characters = 0;
  for (const _ of text) characters += 1;
  const field = inField(text);
  const ends = field.split("\n").length;
  // A line end at the very end begins no line.
  const lines = field === "" ? 0 : field.endsWith("\n") ? ends - 1 : ends;
  return { lines, characters, bytes: new TextEncoder().encode(text).length };
}
