// Names of sessions, and keys of new ones.
import type { SessionEntry } from "../../generated/protocol";

/** Its name, else the last part of its key. */
export function sessionName(key: string, entry: SessionEntry | undefined): string {
  return entry?.label || entry?.displayName || key.split(":").slice(2).join(":") || key;
}

/** A new readable key: day and time, to the second. */
export function newSessionKey(agentId: string, now: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  return `agent:${agentId}:${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}
