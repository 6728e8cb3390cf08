// Which agents answer at this moment, from what the gateway tells of runs.
// Promises: a page that was opened in the middle of a turn knows of it with the next piece that is said.
import { effect, signal } from "@preact/signals";
import { on } from "../../gateway/events";
import { epoch } from "../../gateway/link";
import { agentIdOf } from "../agents";

/** The agent of each run that goes on. */
const running = signal<ReadonlyMap<string, string>>(new Map());

export const isAnswering = (agentId: string): boolean => [...running.value.values()].includes(agentId);

function begins(runId: string, sessionKey: string): void {
  const agentId = agentIdOf(sessionKey);
  if (!agentId || running.peek().has(runId)) return;
  running.value = new Map(running.peek()).set(runId, agentId);
}

function ends(runId: string): void {
  if (!running.peek().has(runId)) return;
  const rest = new Map(running.peek());
  rest.delete(runId);
  running.value = rest;
}

/** Follows the runs from now on; the answer ends it. */
export function followTurns(): () => void {
  const endings = [
    on("chat", ({ runId, sessionKey, state }) => (state === "delta" ? begins(runId, sessionKey) : ends(runId))),
    on("agent", (told) => {
      if (told.stream !== "lifecycle") return;
      if (told.data.phase === "start" || told.data.phase === "model") begins(told.runId, told.sessionKey);
      else if (told.data.phase !== "retry") ends(told.runId);
    }),
    // After missed events nobody knows which of them still go on.
    effect(() => {
      if (epoch.value >= 0) running.value = new Map();
    }),
  ];
  return () => {
    for (const end of endings) end();
  };
}
