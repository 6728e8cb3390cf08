// What a tab keeps of a conversation over a reload: the text that is being written, and messages that are on their way.
// Promises: what is stored may be anything, so it is checked; a browser that stores nothing loses nothing else.
import type { Attached } from "./attach";
import type { Outgoing } from "./transcript";

const MOST_WAITING = 50;
const LONGEST = 1_000_000;

const draftKey = (session: string) => `tarsus.chat.draft.${session}`;
const outboxKey = (session: string) => `tarsus.chat.outbox.${session}`;

export const keptDraft = (session: string): string => read(draftKey(session))?.slice(0, LONGEST) ?? "";

export const keepDraft = (session: string, text: string): boolean => write(draftKey(session), text);

/** Messages that the gateway may not have, under the keys that they were sent with. */
export function keptOutbox(session: string): Outgoing[] {
  try {
    const stored: unknown = JSON.parse(read(outboxKey(session)) ?? "[]");
    if (!Array.isArray(stored)) return [];
    return stored.filter(isOutgoing).slice(-MOST_WAITING).map(({ key, text, at, files }) => ({ key, text, at, state: "sending", ...(files && { files }) }));
  } catch {
    return [];
  }
}

export function keepOutbox(session: string, outbox: readonly Outgoing[]): void {
  const stored = (some: readonly Outgoing[]) => (some.length === 0 ? "" : JSON.stringify(some.slice(-MOST_WAITING)));
  if (write(outboxKey(session), stored(outbox))) return;
  // Files may be more than a browser stores: the messages without any are kept at least, and none without its files.
  write(outboxKey(session), stored(outbox.filter(({ files }) => !files)));
}

function isOutgoing(value: unknown): value is Outgoing {
  if (typeof value !== "object" || value === null) return false;
  const { key, text, at, files } = value as Record<string, unknown>;
  if (files !== undefined && !(Array.isArray(files) && files.every(isAttached))) return false;
  return typeof key === "string" && key.length <= 128 && typeof text === "string" && text.length <= LONGEST && typeof at === "number";
}

function isAttached(value: unknown): value is Attached {
  const { name, mimeType, size, content } = (value ?? {}) as Record<string, unknown>;
  return typeof name === "string" && typeof mimeType === "string" && typeof size === "number" && typeof content === "string";
}

function read(key: string): string | undefined {
  try {
    return globalThis.sessionStorage?.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** False when it is full or forbidden: the text is on the page all the same. */
function write(key: string, text: string): boolean {
  try {
    if (text === "") globalThis.sessionStorage?.removeItem(key);
    else globalThis.sessionStorage?.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
