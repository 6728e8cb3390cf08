// Which agents are at work, as far as this page was told: events say so live, open conversations when they are read.
// Leaves to others: how it is shown.
import { effect, signal, untracked } from "@preact/signals";
import { call } from "../../gateway/calls";
import { on } from "../../gateway/events";
import { epoch, link } from "../../gateway/link";
import { agentIdOf } from "../agents";

type Work = { runId: string; agentId: string; since: number };

export const working = signal<readonly Work[]>([]);

/** Since when an agent works; undefined when it is idle. */
export function workingSince(agentId: string): number | undefined {
  const since = working.value.filter((work) => work.agentId === agentId).map((work) => work.since);
  return since.length > 0 ? Math.min(...since) : undefined;
}

export function noteWork(runId: string, sessionKey: string, since: number): void {
  const agentId = agentIdOf(sessionKey);
  if (!agentId || working.peek().some((work) => work.runId === runId)) return;
  working.value = [...working.peek(), { runId, agentId, since }];
}

export function noteRest(runId: string): void {
  if (working.peek().some((work) => work.runId === runId)) working.value = working.peek().filter((work) => work.runId !== runId);
}

on("agent", (told) => {
  if (told.stream !== "lifecycle") return;
  if (told.data.phase === "start") noteWork(told.runId, told.sessionKey, told.data.startedAt);
  if (told.data.phase === "end" || told.data.phase === "error") noteRest(told.runId);
});

// An end may have been missed: each run that is known is asked for.
effect(() => {
  if (link.value.state !== "ready" || epoch.value < 1) return;
  untracked(() => {
    for (const { runId } of working.peek()) void askAfter(runId);
  });
});

async function askAfter(runId: string): Promise<void> {
  const isOn = await call("agent.wait", { runId, timeoutMs: 0 }).then(({ status }) => status === "timeout", () => false);
  if (!isOn) noteRest(runId);
}
