// Converts text between file and text field, and measures it.
// A file keeps its line ends; unedited text stays the same byte for byte.

/** The characters of a file that fit a prompt; a longer file is cut in the middle. */
export const PROMPT_CHARACTERS = 20_000;

/** A text field ends every line with `\n`. */
export const inField = (text: string): string => text.replace(/\r\n?/g, "\n");

/** The file text for a field's text; `base` is the file now. */
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
  // A final line end starts no new line.
  const lines = field === "" ? 0 : field.endsWith("\n") ? ends - 1 : ends;
  return { lines, characters, bytes: new TextEncoder().encode(text).length };
}
