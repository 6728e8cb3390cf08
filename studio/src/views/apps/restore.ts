// Restores a deleted app: the same entry, byte for byte, in its place.
// An entry that has taken its name is not touched; a failure is shown in the view, wherever Undo was pressed.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { RemovedApp } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";
import { go, settings } from "../../state/route";
import { showToast } from "../../state/toast";
import { t } from "../../words";

const failed = signal<{ name: string; error: CallError } | undefined>(undefined);

/** The app that was not restored, and why. */
export const restoreError: ReadonlySignal<{ name: string; error: CallError } | undefined> = failed;

export const dismissRestoreError = (): void => void (failed.value = undefined);

export async function restoreApp(name: string, removed: RemovedApp): Promise<void> {
  dismissRestoreError();
  const { written, before, hash } = removed;
  const restore = (baseHash: string) => call("apps.restore", { name, written, baseHash, ...(before !== null && { before }) });
  try {
    await restore(hash).catch(async (thrown: unknown) => {
      if (!asCallError(thrown).isStale) throw thrown;
      // Another part of the registry changed meanwhile; the gateway checks that the name is free.
      const { registry } = await call("apps.list", {});
      return restore(registry.hash ?? "");
    });
    showToast({ text: t("apps.putBack", { name }) });
  } catch (thrown) {
    failed.value = { name, error: asCallError(thrown) };
    go(settings("apps"));
  }
}
