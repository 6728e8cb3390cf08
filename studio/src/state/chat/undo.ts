// The undo of the files that a turn changed: first what would happen, and once that is confirmed, what happened.
// If the connection is lost on the way, it is unknown what happened: on the next one it is checked again, never done again.
import { effect, signal, untracked } from "@preact/signals";
import type { UndoneFile } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";
import { link } from "../../gateway/link";

export type UndoStep =
  | { state: "checking" }
  | { state: "preview" | "undoing" | "done"; files: readonly UndoneFile[] }
  /** `isUndo`: not the check failed, but what was confirmed. */
  | { state: "failed"; error: CallError; isUndo: boolean };

/** A turn may have changed very many files. */
const UNDO_MS = 120_000;

export class Undo {
  readonly step = signal<UndoStep>({ state: "checking" });
  private readonly unsubscribe: () => void;
  private isClosed = false;

  constructor(
    private readonly key: string,
    private readonly runId: string,
  ) {
    void this.check();
    this.unsubscribe = effect(() => {
      if (link.value.state !== "ready") return;
      const step = this.step.peek();
      if (step.state === "failed" && step.error.isLost) untracked(() => void this.check());
    });
  }

  close(): void {
    this.isClosed = true;
    this.unsubscribe();
  }

  /** Asks what would happen. */
  async check(): Promise<void> {
    this.set({ state: "checking" });
    await this.request(true);
  }

  /** Does what was shown. */
  async confirm(): Promise<void> {
    const step = this.step.peek();
    if (step.state !== "preview") return;
    this.set({ state: "undoing", files: step.files });
    await this.request(false);
  }

  private async request(dryRun: boolean): Promise<void> {
    try {
      const { files } = await call("sessions.undo", { key: this.key, runId: this.runId, ...(dryRun && { dryRun }) }, { timeoutMs: UNDO_MS });
      this.set({ state: dryRun ? "preview" : "done", files });
    } catch (thrown) {
      this.set({ state: "failed", error: asCallError(thrown), isUndo: !dryRun });
    }
  }

  private set(step: UndoStep): void {
    if (!this.isClosed) this.step.value = step;
  }
}

/** The files that are put back, or were. */
export const filesPutBack = (files: readonly UndoneFile[]): readonly UndoneFile[] => files.filter(({ outcome }) => outcome === "restored" || outcome === "removed");

/** Refused files first: their reasons must not be overlooked. */
export const refusedFirst = (files: readonly UndoneFile[]): readonly UndoneFile[] => {
  const isRefused = ({ outcome }: UndoneFile) => outcome === "refused";
  return [...files.filter(isRefused), ...files.filter((file) => !isRefused(file))];
};
