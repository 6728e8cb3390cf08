// The commands that were approved for an agent, read from the file of approved commands. The file belongs to whoever
// checks commands: whatever does not look like an entry is left out.
import type { Approvals } from "../../generated/protocol";

export type Approved = { pattern: string; lastUsedAt?: number };

export function approvedFor(file: Approvals, agentId: string): Approved[] {
  return [file.agents?.["*"], file.agents?.[agentId]].flatMap((of) => entriesOf(memberOf(of, "allowlist")));
}

function entriesOf(list: unknown): Approved[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const pattern = typeof entry === "string" ? entry : memberOf(entry, "pattern");
    const at = memberOf(entry, "lastUsedAt");
    return typeof pattern === "string" && pattern ? [{ pattern, ...(typeof at === "number" && { lastUsedAt: at }) }] : [];
  });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
