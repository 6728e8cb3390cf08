// Texts with elements as values: `rich("setup.reason", { program: <code>op</code> })`.
// In a phrase, `text` is code and **text** is strong.
import type { ComponentChildren } from "preact";
import { type PhraseValues, type Key, type Values, number, phraseOf } from ".";

const PIECE = /`([^`]+)`|\*\*(.+?)\*\*|\{(\w+)\}/g;

export function rich<K extends Key>(key: K, ...[values]: Values<K, ComponentChildren>): ComponentChildren {
  return pieces(phraseOf(key, values as PhraseValues), values as PhraseValues);
}

/** A text from outside, with `backticks` shown as code. */
export function withCode(text: string): ComponentChildren {
  return text.split(/`([^`]+)`/).map((piece, index) => (index % 2 ? <code key={index}>{piece}</code> : piece));
}

function pieces(phrase: string, values: PhraseValues): ComponentChildren[] {
  const found: ComponentChildren[] = [];
  let at = 0;
  for (const match of phrase.matchAll(PIECE)) {
    const [whole, code, strong, name] = match;
    found.push(phrase.slice(at, match.index));
    if (code) found.push(<code key={match.index}>{pieces(code, values)}</code>);
    else if (strong) found.push(<strong key={match.index}>{pieces(strong, values)}</strong>);
    else found.push(valueOf(values?.[name ?? ""] as ComponentChildren, whole));
    at = match.index + whole.length;
  }
  found.push(phrase.slice(at));
  return found;
}

function valueOf(value: ComponentChildren, whole: string): ComponentChildren {
  if (value === undefined) return whole;
  return typeof value === "number" ? number(value) : value;
}
