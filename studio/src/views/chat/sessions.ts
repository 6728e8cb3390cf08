// Names of sessions: what a person calls one, and the key of a new one.
import type { SessionEntry } from "../../generated/protocol";

/** What a person calls it, else the last part of its key. */
export function sessionName(key: string, entry: SessionEntry | undefined): string {
  return entry?.label || entry?.displayName || key.split(":").slice(2).join(":") || key;
}

/** A key that nobody has yet: the day and the time, to the second, in words that can be read. */
export function newSessionKey(agentId: string, now: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  return `agent:${agentId}:${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}
