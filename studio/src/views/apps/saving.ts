// Saving an entry against the registry that was shown.
// Promises: nothing is saved over a change that was not seen; then the new state is read, and asked about again.
import { useState } from "preact/hooks";
import type { AppDeleted, AppList, RegisteredApp } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";
import type { Resource } from "../../state/resource";
import { type Fields, currentOf, entryOf, patchOf } from "./proposal";

/** The registry that the person sees: its hash, and the entry in it. */
type Base = { hash: string | null; app: RegisteredApp | undefined };

export type Saving = {
  /** The entry as it was read last; undefined when there is none. */
  app: RegisteredApp | undefined;
  busy: boolean;
  error: CallError | undefined;
  /** Whether the registry was another one than shown; what is shown now is the new one. */
  wasStale: boolean;
  /** True when it is saved. */
  save(proposed: Fields): Promise<boolean>;
  /** What was taken out, when it is gone. */
  remove(): Promise<AppDeleted | undefined>;
};

/** `name`: the app; it may not be registered yet. */
export function useSaving(list: Resource<AppList>, name: string): Saving {
  const read = (): Base => {
    const now = list.value.peek();
    return { hash: now?.registry.hash ?? null, app: now?.apps.find((app) => app.name === name) };
  };
  // What was shown first holds until a save fails, whatever is read meanwhile: that is what the person agreed to.
  const [base, setBase] = useState(read);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CallError>();
  const [wasStale, setStale] = useState(false);

  const attempt = async <T>(change: (baseHash: { baseHash?: string }) => Promise<T>): Promise<T | undefined> => {
    setBusy(true);
    setError(undefined);
    setStale(false);
    try {
      return await change(base.hash ? { baseHash: base.hash } : {});
    } catch (thrown) {
      const failed = asCallError(thrown);
      if (!failed.isStale) {
        setError(failed);
        return undefined;
      }
      await list.reload();
      setBase(read());
      setStale(true);
      return undefined;
    } finally {
      setBusy(false);
    }
  };

  return {
    app: base.app,
    busy,
    error,
    wasStale,
    save: async (proposed) => {
      const saved = await attempt((hash) =>
        // An entry that is not whole is written whole; of a good one only what differs.
        base.app && (base.app.group === "valid" || base.app.group === "policy_mismatch")
          ? call("apps.patch", { name, patch: patchOf(currentOf(base.app), proposed), ...hash })
          : call("apps.save", { name: name.trim(), entry: entryOf(proposed), ...hash }),
      );
      return saved !== undefined;
    },
    remove: () => attempt((hash) => call("apps.delete", { name, ...hash })),
  };
}
