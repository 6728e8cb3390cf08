// Commands that wait for a person's word, as events tell of them. What lacks an id, a command or its times is none.
import { signal } from "@preact/signals";
import { on } from "../../gateway/events";

export type Approval = { id: string; command: string; cwd?: string; agentId?: string; sessionKey?: string; createdAtMs: number; expiresAtMs: number };

export const approvals = signal<readonly Approval[]>([]);

export function forget(id: string): void {
  approvals.value = approvals.peek().filter((one) => one.id !== id);
}

/** The approval of an event, if it is one. */
export function approvalOf(payload: unknown): Approval | undefined {
  const { id, request, createdAtMs, expiresAtMs } = record(payload);
  const { command, cwd, agentId, sessionKey } = record(request);
  if (typeof id !== "string" || typeof command !== "string" || typeof createdAtMs !== "number" || typeof expiresAtMs !== "number") return undefined;
  return {
    id,
    command,
    createdAtMs,
    expiresAtMs,
    ...(typeof cwd === "string" && { cwd }),
    ...(typeof agentId === "string" && { agentId }),
    ...(typeof sessionKey === "string" && { sessionKey }),
  };
}

const record = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {});

on("exec.approval.requested", (payload) => {
  const asked = approvalOf(payload);
  if (!asked) return;
  forget(asked.id);
  approvals.value = [...approvals.peek(), asked];
});
on("exec.approval.resolved", (payload) => {
  const { id } = record(payload);
  if (typeof id === "string") forget(id);
});
