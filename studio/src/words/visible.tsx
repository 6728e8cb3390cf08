// Texts from outside with invisible characters made visible: control characters, direction marks and blanks without width
// could hide or turn around what a person reads.
import type { ComponentChildren } from "preact";

/** As in the gateway: joiners and emoji selectors belong to visible text. A tab is a blank like any other. */
const INVISIBLE =
  /[\0-\x08\n-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;
const EACH = new RegExp(INVISIBLE, "gu");
const PIECES = new RegExp(`(${INVISIBLE.source})`, "u");

const markOf = (letter: string): string => `[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;

/** As plain text, for names and titles. */
export const visibleText = (text: string): string => text.replace(EACH, markOf);

/** As elements: the marks look unlike the same text written out. */
export function withMarks(text: string): ComponentChildren {
  if (!INVISIBLE.test(text)) return text;
  return text.split(PIECES).map((piece, index) => (index % 2 ? <span key={index} class="mark">{markOf(piece)}</span> : piece));
}
