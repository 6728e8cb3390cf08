// The approved commands of an agent, from the approvals file. The guard owns its format: entries that do not match are
// left out.
import type { Approvals } from "../../generated/protocol";

export type ApprovedCommand = { pattern: string; lastUsedAt?: number };

export function approvedFor(file: Approvals, agentId: string): ApprovedCommand[] {
  return [file.agents?.["*"], file.agents?.[agentId]].flatMap((of) => entriesOf(memberOf(of, "allowlist")));
}

function entriesOf(list: unknown): ApprovedCommand[] {
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
