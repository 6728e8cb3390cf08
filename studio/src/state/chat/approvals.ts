// Calls that wait for the owner's word, in every session of this gateway.
// Promises: after a new connection it is what the gateway says that waits; one that was answered anywhere is gone.
import { effect, signal } from "@preact/signals";
import type { Approval, ApprovalDecision } from "../../generated/protocol";
import { call, knows } from "../../gateway/calls";
import { on } from "../../gateway/events";
import { asCallError } from "../../gateway/failure";
import { epoch, link } from "../../gateway/link";

export const approvals = signal<readonly Approval[]>([]);

/** Answers. One that somebody else has answered, or whose time is over, is gone as well. */
export async function resolve(approval: Approval, decision: ApprovalDecision): Promise<void> {
  try {
    await call("exec.approval.resolve", { id: approval.id, decision });
  } catch (thrown) {
    if (asCallError(thrown).reason !== "not-found") throw thrown;
  }
  forget(approval.id);
}

function forget(id: string): void {
  approvals.value = approvals.peek().filter((one) => one.id !== id);
}

on("exec.approval.requested", (asked) => {
  forget(asked.id);
  approvals.value = [...approvals.peek(), asked];
});
on("exec.approval.resolved", ({ id }) => {
  over.add(id);
  forget(id);
});

/** Those that ended while the gateway was asked what waits. */
const over = new Set<string>();

effect(() => {
  const asked = epoch.value;
  if (link.value.state !== "ready" || !knows("exec.approval.list")) return;
  const before = new Set(approvals.peek().map(({ id }) => id));
  over.clear();
  call("exec.approval.list", {}).then(
    (list) => {
      if (epoch.peek() !== asked) return;
      const listed = new Set(list.approvals.map(({ id }) => id));
      // What was told meanwhile may be newer than the answer.
      const newer = approvals.peek().filter(({ id }) => !before.has(id) && !listed.has(id));
      approvals.value = [...list.approvals.filter(({ id }) => !over.has(id)), ...newer];
    },
    // Another connection asks again.
    () => undefined,
  );
});
