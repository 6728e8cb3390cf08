// Signals that survive a reload. Stored values are validated.
import { type Signal, effect, signal } from "@preact/signals";

export type StorageScope = "browser" | "tab";

/** A signal stored as `tarsus.<name>`, for this browser or for this tab. */
export function remembered<T>(name: string, fallback: T, is: (value: unknown) => value is T, keep: StorageScope = "browser"): Signal<T> {
  const key = `tarsus.${name}`;
  const storage = storageOf(keep);
  const kept = signal(readStored(storage, key, is) ?? fallback);
  let first = true;
  effect(() => {
    const text = JSON.stringify(kept.value);
    if (!first) tryStorage(() => storage?.setItem(key, text));
    first = false;
  });
  return kept;
}

const searches = new Map<string, Signal<string>>();

/** A text that a view remembers in this tab, such as its search; one signal per name. */
export function rememberedText(name: string, fallback = ""): Signal<string> {
  const known = searches.get(name);
  if (known) return known;
  const created = remembered(name, fallback, (value): value is string => typeof value === "string", "tab");
  searches.set(name, created);
  return created;
}

export const isOneOf =
  <const T extends readonly string[]>(...words: T) =>
  (value: unknown): value is T[number] =>
    typeof value === "string" && words.includes(value);

function storageOf(keep: StorageScope): Storage | undefined {
  return tryStorage(() => (keep === "tab" ? globalThis.sessionStorage : globalThis.localStorage));
}

function readStored<T>(storage: Storage | undefined, key: string, is: (value: unknown) => value is T): T | undefined {
  return tryStorage(() => {
    const value: unknown = JSON.parse(storage?.getItem(key) ?? "null");
    return is(value) ? value : undefined;
  });
}

/** Storage may be forbidden or full: then nothing is remembered. */
function tryStorage<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
