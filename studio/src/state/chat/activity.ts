// Agents at work, as far as this page knows: from events, and from open conversations.
import { effect, signal, untracked } from "@preact/signals";
import { call } from "../../gateway/calls";
import { on } from "../../gateway/events";
import { epoch, link } from "../../gateway/link";
import { agentIdOf } from "../agents";

type Work = { runId: string; agentId: string; since: number };

export const working = signal<readonly Work[]>([]);

/** When the agent's oldest open run started; undefined when idle. */
export function workingSince(agentId: string): number | undefined {
  const since = working.value.filter((work) => work.agentId === agentId).map((work) => work.since);
  return since.length > 0 ? Math.min(...since) : undefined;
}

export function addWork(runId: string, sessionKey: string, since: number): void {
  const agentId = agentIdOf(sessionKey);
  if (!agentId || working.peek().some((work) => work.runId === runId)) return;
  working.value = [...working.peek(), { runId, agentId, since }];
}

export function removeWork(runId: string): void {
  if (working.peek().some((work) => work.runId === runId)) working.value = working.peek().filter((work) => work.runId !== runId);
}

on("agent", (event) => {
  if (event.stream !== "lifecycle") return;
  if (event.data.phase === "start") addWork(event.runId, event.sessionKey, event.data.startedAt);
  if (event.data.phase === "end" || event.data.phase === "error") removeWork(event.runId);
});

// An end may have been missed: check each known run.
effect(() => {
  if (link.value.state !== "ready" || epoch.value < 1) return;
  untracked(() => {
    for (const { runId } of working.peek()) void checkRun(runId);
  });
});

async function checkRun(runId: string): Promise<void> {
  const isOn = await call("agent.wait", { runId, timeoutMs: 0 }).then(({ status }) => status === "timeout", () => false);
  if (!isOn) removeWork(runId);
}
