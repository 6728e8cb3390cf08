// Putting an app back into the registry that was just taken out: the same entry, byte for byte, in its place.
// Promises: an entry that has its name by now is not touched; a failure is shown in the view, wherever Undo was pressed.
import { type ReadonlySignal, signal } from "@preact/signals";
import type { RemovedApp } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";
import { go, settings } from "../../state/route";
import { showToast } from "../../state/toast";
import { t } from "../../words";

const failed = signal<{ name: string; error: CallError } | undefined>(undefined);

/** What was not put back, and why. */
export const notPutBack: ReadonlySignal<{ name: string; error: CallError } | undefined> = failed;

export const dismissNotPutBack = (): void => void (failed.value = undefined);

export async function putBack(name: string, removed: RemovedApp): Promise<void> {
  dismissNotPutBack();
  const { written, before, hash } = removed;
  const restore = (baseHash: string) => call("apps.restore", { name, written, baseHash, ...(before !== null && { before }) });
  try {
    await restore(hash).catch(async (thrown: unknown) => {
      if (!asCallError(thrown).isStale) throw thrown;
      // Something else of the registry changed meanwhile; whether the name is free, the gateway says.
      const { registry } = await call("apps.list", {});
      return restore(registry.hash ?? "");
    });
    showToast({ text: t("apps.putBack", { name }) });
  } catch (thrown) {
    failed.value = { name, error: asCallError(thrown) };
    go(settings("apps"));
  }
}
