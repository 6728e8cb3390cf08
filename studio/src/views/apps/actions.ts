// Launching and stopping apps: which row is busy, and the result. Only that row is busy, never the table.
import { type ReadonlySignal, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { AppRunReport } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";

export type AppAction = "launch" | "stop";

/** The result of an action, or why it was refused. `agentId` is the acting agent. */
export type ActionResult = { action: AppAction; agentId: string } & ({ report: AppRunReport } | { error: CallError });

export type RowState = { busy?: AppAction; result?: ActionResult };

export type AppActions = {
  rows: ReadonlySignal<ReadonlyMap<string, RowState>>;
  launch(name: string, agentId: string): Promise<void>;
  /** `confirmed`: the person confirmed stopping an app whose mode is off. */
  stop(name: string, agentId: string, confirmed: boolean): Promise<void>;
  clear(name: string): void;
};

/** A stop asks the app to close, waits and then ends it: longer than other calls. */
const ACTION_TIMEOUT_MS = 60_000;

export function useAppActions(): AppActions {
  return useMemo(() => {
    const rows = signal<ReadonlyMap<string, RowState>>(new Map());
    const put = (name: string, state: RowState) => (rows.value = new Map(rows.peek()).set(name, state));
    const run = async (name: string, action: AppAction, agentId: string, request: () => Promise<AppRunReport>) => {
      if (rows.peek().get(name)?.busy) return;
      put(name, { busy: action });
      try {
        const report = await request();
        put(name, { result: { action, agentId, report } });
      } catch (thrown) {
        put(name, { result: { action, agentId, error: asCallError(thrown) } });
      }
    };
    return {
      rows,
      launch: (name, agentId) =>
        run(name, "launch", agentId, () => call("apps.launch", { name, agentId }, { timeoutMs: ACTION_TIMEOUT_MS })),
      stop: (name, agentId, confirmed) =>
        run(name, "stop", agentId, () =>
          call("apps.stop", { name, agentId, ...(confirmed && { confirmed }) }, { timeoutMs: ACTION_TIMEOUT_MS }),
        ),
      clear: (name) => {
        const left = new Map(rows.peek());
        left.delete(name);
        rows.value = left;
      },
    };
  }, []);
}
