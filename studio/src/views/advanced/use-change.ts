// A change made in a panel: busy state, error, and undo.
import { useSignal } from "@preact/signals";
import { type CallError, asCallError } from "../../gateway/failure";
import { type EntryPatch, changeEntry, withoutUndefined } from "../../state/agent-entry";
import type { Config, Json } from "../../state/config";
import { showToast } from "../../state/toast";

export type ChangeState = {
  readonly busy: boolean;
  readonly error: CallError | undefined;
  /** Runs an action; true if it succeeded. */
  run(act: () => Promise<unknown>): Promise<boolean>;
  /** Changes one key of the agent's entry; the toast undoes it. */
  entry(agentId: string, key: string, change: (before: Json | undefined) => Json | undefined, text: string): Promise<void>;
};

export function useChange(): ChangeState {
  const busy = useSignal(false);
  const error = useSignal<CallError | undefined>(undefined);
  const run = async (act: () => Promise<unknown>) => {
    if (busy.peek()) return false;
    busy.value = true;
    error.value = undefined;
    try {
      await act();
      return true;
    } catch (thrown) {
      error.value = asCallError(thrown);
      return false;
    } finally {
      busy.value = false;
    }
  };
  const entry: ChangeState["entry"] = async (agentId, key, change, text) => {
    let before: Json | undefined;
    let wrote = false;
    const worked = await run(async () => {
      const done = await changeEntry(agentId, (now: Config): EntryPatch => ({ [key]: change((before = now[key])) }));
      wrote = done.wrote;
    });
    if (!worked || !wrote) return;
    showToast({ text, undo: () => run(() => changeEntry(agentId, () => ({ [key]: before }))) });
  };
  return { busy: busy.value, error: error.value, run, entry };
}

/** The texts of a form without empty ones; undefined if all are empty. */
export function withoutEmpty(texts: Record<string, string>): Config | undefined {
  const all = withoutUndefined(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim() || undefined])));
  return Object.keys(all).length > 0 ? all : undefined;
}
