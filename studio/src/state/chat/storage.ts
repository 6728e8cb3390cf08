// What a tab stores of a conversation across a reload: the draft, and unsent messages.
// Stored data is validated; without storage nothing else is lost.
import type { Attachment } from "./attachments";
import type { OutgoingMessage } from "./transcript";

const MOST_WAITING = 50;
const LONGEST = 1_000_000;

const draftKey = (session: string) => `tarsus.chat.draft.${session}`;
const outboxKey = (session: string) => `tarsus.chat.outbox.${session}`;

export const loadDraft = (session: string): string => read(draftKey(session))?.slice(0, LONGEST) ?? "";

export const saveDraft = (session: string, text: string): boolean => write(draftKey(session), text);

/** Messages that the gateway may not have, with their original keys. */
export function loadOutbox(session: string): OutgoingMessage[] {
  try {
    const stored: unknown = JSON.parse(read(outboxKey(session)) ?? "[]");
    if (!Array.isArray(stored)) return [];
    return stored.filter(isOutgoing).slice(-MOST_WAITING).map(({ key, text, at, files }) => ({ key, text, at, state: "sending", ...(files && { files }) }));
  } catch {
    return [];
  }
}

export function saveOutbox(session: string, outbox: readonly OutgoingMessage[]): void {
  const stored = (some: readonly OutgoingMessage[]) => (some.length === 0 ? "" : JSON.stringify(some.slice(-MOST_WAITING)));
  if (write(outboxKey(session), stored(outbox))) return;
  // Files may exceed the quota: then store the messages without files, and never a message without its files.
  write(outboxKey(session), stored(outbox.filter(({ files }) => !files)));
}

function isOutgoing(value: unknown): value is OutgoingMessage {
  if (typeof value !== "object" || value === null) return false;
  const { key, text, at, files } = value as Record<string, unknown>;
  if (files !== undefined && !(Array.isArray(files) && files.every(isAttached))) return false;
  return typeof key === "string" && key.length <= 128 && typeof text === "string" && text.length <= LONGEST && typeof at === "number";
}

function isAttached(value: unknown): value is Attachment {
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

/** False if storage is full or forbidden; the page keeps the text anyway. */
function write(key: string, text: string): boolean {
  try {
    if (text === "") globalThis.sessionStorage?.removeItem(key);
    else globalThis.sessionStorage?.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
