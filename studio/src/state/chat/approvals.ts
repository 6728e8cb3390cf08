// Pending approvals of every session of this gateway.
// Reloaded on every new connection; an approval that any client resolved disappears.
import { effect, signal } from "@preact/signals";
import type { Approval, ApprovalDecision } from "../../generated/protocol";
import { call, supportsMethod } from "../../gateway/calls";
import { on } from "../../gateway/events";
import { asCallError } from "../../gateway/failure";
import { epoch, link } from "../../gateway/link";

export const approvals = signal<readonly Approval[]>([]);

/** One that is resolved elsewhere or expired disappears as well. */
export async function resolveApproval(approval: Approval, decision: ApprovalDecision): Promise<void> {
  try {
    await call("exec.approval.resolve", { id: approval.id, decision });
  } catch (thrown) {
    if (asCallError(thrown).reason !== "not-found") throw thrown;
  }
  remove(approval.id);
}

function remove(id: string): void {
  approvals.value = approvals.peek().filter((one) => one.id !== id);
}

on("exec.approval.requested", (approval) => {
  remove(approval.id);
  approvals.value = [...approvals.peek(), approval];
});
on("exec.approval.resolved", ({ id }) => {
  resolvedIds.add(id);
  remove(id);
});

/** Resolved while the list was loading. */
const resolvedIds = new Set<string>();

effect(() => {
  const epochAtRequest = epoch.value;
  if (link.value.state !== "ready" || !supportsMethod("exec.approval.list")) return;
  const before = new Set(approvals.peek().map(({ id }) => id));
  resolvedIds.clear();
  call("exec.approval.list", {}).then(
    (list) => {
      if (epoch.peek() !== epochAtRequest) return;
      const listed = new Set(list.approvals.map(({ id }) => id));
      // An event meanwhile may be newer than the list.
      const newer = approvals.peek().filter(({ id }) => !before.has(id) && !listed.has(id));
      approvals.value = [...list.approvals.filter(({ id }) => !resolvedIds.has(id)), ...newer];
    },
    // The next connection loads it again.
    () => undefined,
  );
});
