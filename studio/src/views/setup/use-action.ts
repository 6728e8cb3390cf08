// One action at a time: busy state and error, shown where it was started.
import { useRef, useState } from "preact/hooks";
import { type CallError, asCallError } from "../../gateway/failure";

export type ActionState = {
  busy: boolean;
  error: CallError | undefined;
  /** Runs the action, unless one is running. True if it succeeded. */
  run: (doing: () => Promise<unknown>) => Promise<boolean>;
};

export function useAction(): ActionState {
  const [busy, setBusy] = useState(false);
  // A ref: an older `run` must see the current state.
  const isBusy = useRef(false);
  const [error, setError] = useState<CallError>();
  const run = async (doing: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy.current) return false;
    isBusy.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await doing();
      return true;
    } catch (thrown) {
      setError(asCallError(thrown));
      return false;
    } finally {
      isBusy.current = false;
      setBusy(false);
    }
  };
  return { busy, error, run };
}
