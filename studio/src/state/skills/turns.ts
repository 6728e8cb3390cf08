// Agents that are answering, from the gateway's run events.
// A page opened in the middle of a turn learns of it with the next delta.
import { effect, signal } from "@preact/signals";
import { on } from "../../gateway/events";
import { epoch } from "../../gateway/link";
import { agentIdOf } from "../agents";

/** Open runs with their agents. */
const running = signal<ReadonlyMap<string, string>>(new Map());

export const isAnswering = (agentId: string): boolean => [...running.value.values()].includes(agentId);

function addRun(runId: string, sessionKey: string): void {
  const agentId = agentIdOf(sessionKey);
  if (!agentId || running.peek().has(runId)) return;
  running.value = new Map(running.peek()).set(runId, agentId);
}

function removeRun(runId: string): void {
  if (!running.peek().has(runId)) return;
  const rest = new Map(running.peek());
  rest.delete(runId);
  running.value = rest;
}

/** Follows run events; the returned function stops. */
export function followTurns(): () => void {
  const endings = [
    on("chat", ({ runId, sessionKey, state }) => (state === "delta" ? addRun(runId, sessionKey) : removeRun(runId))),
    on("agent", (event) => {
      if (event.stream !== "lifecycle") return;
      if (event.data.phase === "start" || event.data.phase === "model") addRun(event.runId, event.sessionKey);
      else if (event.data.phase !== "retry") removeRun(event.runId);
    }),
    // After missed events, no run is known to be open.
    effect(() => {
      if (epoch.value >= 0) running.value = new Map();
    }),
  ];
  return () => {
    for (const end of endings) end();
  };
}
