// A change that somebody makes in a panel: it is busy meanwhile, says why it failed, and can be taken back.
import { useSignal } from "@preact/signals";
import { type CallError, asCallError } from "../../gateway/failure";
import { type Changed, changeEntry, kept } from "../../state/agent-entry";
import type { Config, Json } from "../../state/config";
import { showToast } from "../../state/toast";

export type Changing = {
  readonly busy: boolean;
  readonly error: CallError | undefined;
  /** Does something; true when it worked. */
  run(act: () => Promise<unknown>): Promise<boolean>;
  /** Gives one key of the agent's entry another value; the toast takes it back. */
  entry(agentId: string, key: string, change: (before: Json | undefined) => Json | undefined, text: string): Promise<void>;
};

export function useChange(): Changing {
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
  const entry: Changing["entry"] = async (agentId, key, change, text) => {
    let before: Json | undefined;
    let wrote = false;
    const worked = await run(async () => {
      const done = await changeEntry(agentId, (now: Config): Changed => ({ [key]: change((before = now[key])) }));
      wrote = done.wrote;
    });
    if (!worked || !wrote) return;
    showToast({ text, undo: () => run(() => changeEntry(agentId, () => ({ [key]: before }))) });
  };
  return { busy: busy.value, error: error.value, run, entry };
}

/** The texts of a form without the empty ones; nothing when all are empty. */
export function filled(texts: Record<string, string>): Config | undefined {
  const all = kept(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim() || undefined])));
  return Object.keys(all).length > 0 ? all : undefined;
}
