// Saves an entry against the registry that was shown.
// A change that the person has not seen is never overwritten: the new state is shown, and needs a new save.
import { useState } from "preact/hooks";
import type { AppDeleted, AppList, RegisteredApp } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";
import type { Resource } from "../../state/resource";
import { type EntryFieldValues, currentOf, entryOf, patchOf } from "./proposal";

/** The registry that the person sees: its hash, and the entry. */
type SeenRegistry = { hash: string | null; app: RegisteredApp | undefined };

export type EntrySaving = {
  /** The entry as last loaded; undefined if there is none. */
  app: RegisteredApp | undefined;
  busy: boolean;
  error: CallError | undefined;
  /** The registry had changed; the new state is shown now. */
  wasStale: boolean;
  /** True if it was saved. */
  save(proposed: EntryFieldValues): Promise<boolean>;
  remove(): Promise<AppDeleted | undefined>;
};

/** `name` may not be registered yet. */
export function useSaving(list: Resource<AppList>, name: string): EntrySaving {
  const read = (): SeenRegistry => {
    const now = list.value.peek();
    return { hash: now?.registry.hash ?? null, app: now?.apps.find((app) => app.name === name) };
  };
  // The first state shown is kept until a save fails, even if newer data loads: it is what the person agreed to.
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
        // An incomplete entry is written whole; a valid one only where it changed.
        base.app && (base.app.group === "valid" || base.app.group === "policy_mismatch")
          ? call("apps.patch", { name, patch: patchOf(currentOf(base.app), proposed), ...hash })
          : call("apps.save", { name: name.trim(), entry: entryOf(proposed), ...hash }),
      );
      return saved !== undefined;
    },
    remove: () => attempt((hash) => call("apps.delete", { name, ...hash })),
  };
}
