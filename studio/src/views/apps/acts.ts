// Launching and stopping: which row is busy, and what came of it. One app at a time is busy, never the table.
import { type ReadonlySignal, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { AppActed } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";

export type Act = "launch" | "stop";

/** What came of an act, or why it was not done. `agentId` is who asked. */
export type Came = { act: Act; agentId: string } & ({ acted: AppActed } | { error: CallError });

export type RowState = { busy?: Act; came?: Came };

export type Acts = {
  rows: ReadonlySignal<ReadonlyMap<string, RowState>>;
  launch(name: string, agentId: string): Promise<void>;
  /** `confirmed`: the person said yes to stopping what is off. */
  stop(name: string, agentId: string, confirmed: boolean): Promise<void>;
  forget(name: string): void;
};

/** Asking it to close, waiting and ending it takes the gateway longer than a reading. */
const PATIENCE_MS = 60_000;

export function useActs(): Acts {
  return useMemo(() => {
    const rows = signal<ReadonlyMap<string, RowState>>(new Map());
    const put = (name: string, state: RowState) => (rows.value = new Map(rows.peek()).set(name, state));
    const run = async (name: string, act: Act, agentId: string, asked: () => Promise<AppActed>) => {
      if (rows.peek().get(name)?.busy) return;
      put(name, { busy: act });
      try {
        const acted = await asked();
        put(name, { came: { act, agentId, acted } });
      } catch (thrown) {
        put(name, { came: { act, agentId, error: asCallError(thrown) } });
      }
    };
    return {
      rows,
      launch: (name, agentId) =>
        run(name, "launch", agentId, () => call("apps.launch", { name, agentId }, { timeoutMs: PATIENCE_MS })),
      stop: (name, agentId, confirmed) =>
        run(name, "stop", agentId, () =>
          call("apps.stop", { name, agentId, ...(confirmed && { confirmed }) }, { timeoutMs: PATIENCE_MS }),
        ),
      forget: (name) => {
        const left = new Map(rows.peek());
        left.delete(name);
        rows.value = left;
      },
    };
  }, []);
}
