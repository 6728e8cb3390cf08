// Signals that outlive a reload of the page. What is stored may be anything: it is checked before it is used.
import { type Signal, effect, signal } from "@preact/signals";

export type Keep = "browser" | "tab";

/** A signal whose value is kept under `tarsus.<name>`: for this browser, or for this tab alone. */
export function remembered<T>(name: string, fallback: T, is: (value: unknown) => value is T, keep: Keep = "browser"): Signal<T> {
  const key = `tarsus.${name}`;
  const storage = storageOf(keep);
  const kept = signal(stored(storage, key, is) ?? fallback);
  let first = true;
  effect(() => {
    const text = JSON.stringify(kept.value);
    if (!first) attempt(() => storage?.setItem(key, text));
    first = false;
  });
  return kept;
}

const searches = new Map<string, Signal<string>>();

/** A text that a view remembers for this tab, such as its search or its filter: one signal a name. */
export function rememberedText(name: string, fallback = ""): Signal<string> {
  const known = searches.get(name);
  if (known) return known;
  const made = remembered(name, fallback, (value): value is string => typeof value === "string", "tab");
  searches.set(name, made);
  return made;
}

export const isOneOf =
  <const T extends readonly string[]>(...words: T) =>
  (value: unknown): value is T[number] =>
    typeof value === "string" && words.includes(value);

function storageOf(keep: Keep): Storage | undefined {
  return attempt(() => (keep === "tab" ? globalThis.sessionStorage : globalThis.localStorage));
}

function stored<T>(storage: Storage | undefined, key: string, is: (value: unknown) => value is T): T | undefined {
  return attempt(() => {
    const value: unknown = JSON.parse(storage?.getItem(key) ?? "null");
    return is(value) ? value : undefined;
  });
}

/** A browser may forbid storage, or it may be full: then nothing is remembered. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
