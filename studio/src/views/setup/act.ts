// One thing at a time, asked of the gateway: whether it goes on, and why it failed, for the place where it was asked.
import { useRef, useState } from "preact/hooks";
import { type CallError, asCallError } from "../../gateway/failure";

export type Act = {
  busy: boolean;
  error: CallError | undefined;
  /** Does it, unless something goes on. True when it was done. */
  run: (doing: () => Promise<unknown>) => Promise<boolean>;
};

export function useAct(): Act {
  const [busy, setBusy] = useState(false);
  // Asked by whoever holds an older `run`, too.
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
