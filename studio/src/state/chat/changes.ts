// The files that the turns of a session changed, and what of them is open on the page.
// The list is loaded on each new connection; an event is newer than a list that was requested before it.
import { type ReadonlySignal, type Signal, computed, signal } from "@preact/signals";
import type { FileChange, FileDiff, RunChanges } from "../../generated/protocol";
import { call, supportsMethod } from "../../gateway/calls";
import { on } from "../../gateway/events";
import { asCallError } from "../../gateway/failure";
import { type Resource, resource } from "../resource";
import { Undo } from "./undo";

/** As many as the gateway lists at the most. */
const MAX_RUNS = 200;

export type ChangesByRun = ReadonlyMap<string, RunChanges>;

/** What is open of the changes of a run; it stays open while they are out of sight. */
export type OpenChanges = {
  readonly isOpen: Signal<boolean>;
  /** The diffs of the open files, by path. */
  readonly diffs: Signal<ReadonlyMap<string, Resource<FileDiff | undefined>>>;
};

export class ChangedFiles {
  readonly list: Resource<ChangesByRun>;
  /** The list with the events since. */
  readonly runs: ReadonlySignal<ChangesByRun>;
  /** The run that changed files last while this page was open. */
  readonly latest = signal<RunChanges | undefined>(undefined);
  /** The undo that is asked for. */
  readonly undo = signal<Undo | undefined>(undefined);

  private readonly news = signal<ChangesByRun>(new Map());
  private readonly opened = new Map<string, OpenChanges>();
  private readonly unsubscribe: () => void;

  constructor(
    readonly key: string,
    isThisSession: (key: string) => boolean,
  ) {
    this.list = resource(() => this.load());
    this.runs = computed(() => new Map([...(this.list.value.value ?? []), ...this.news.value]));
    this.unsubscribe = on("files.changed", (run) => {
      if (!isThisSession(run.sessionKey)) return;
      if (!this.runs.peek().has(run.runId)) this.latest.value = run;
      this.news.value = new Map([...this.news.peek(), [run.runId, run]]);
    });
  }

  close(): void {
    this.unsubscribe();
    this.list.close();
    this.undo.peek()?.close();
    for (const { diffs } of this.opened.values()) for (const diff of diffs.peek().values()) diff.close();
  }

  openOf(runId: string): OpenChanges {
    const known = this.opened.get(runId) ?? { isOpen: signal(false), diffs: signal(new Map()) };
    this.opened.set(runId, known);
    return known;
  }

  /** Opens the diff of a file, or closes it. */
  toggleDiff(runId: string, path: string): void {
    const { diffs } = this.openOf(runId);
    const now = new Map(diffs.peek());
    const open = now.get(path);
    open?.close();
    if (open) now.delete(path);
    else now.set(path, resource(() => this.loadDiff(runId, path), { on: { "files.changed": (run) => run.runId === runId } }));
    diffs.value = now;
  }

  askUndo(runId: string): void {
    this.endUndo();
    this.undo.value = new Undo(this.key, runId);
  }

  endUndo(): void {
    this.undo.peek()?.close();
    this.undo.value = undefined;
  }

  private async load(): Promise<ChangesByRun> {
    if (!supportsMethod("sessions.changes")) return new Map();
    const before = this.news.peek();
    const runs = await call("sessions.changes", { key: this.key, limit: MAX_RUNS }).then((answer) => answer.runs, emptyIfNotFound);
    this.news.value = new Map([...this.news.peek()].filter(([id, run]) => before.get(id) !== run));
    return new Map(runs.map((run) => [run.runId, run]));
  }

  private async loadDiff(runId: string, path: string): Promise<FileDiff | undefined> {
    const { files } = await call("sessions.diff", { key: this.key, runId, path });
    return files.find((file) => file.path === path);
  }
}

/** A session without a message is not stored yet. */
function emptyIfNotFound(thrown: unknown): RunChanges[] {
  if (asCallError(thrown).reason === "not-found") return [];
  throw thrown;
}

/** The lines of all files; `null` if none of them is text. */
export function lineCounts(files: readonly FileChange[]): { added: number | null; removed: number | null } {
  const sum = (counts: readonly (number | null)[]) => counts.reduce((all, count) => (count === null ? all : (all ?? 0) + count), null);
  return { added: sum(files.map(({ added }) => added)), removed: sum(files.map(({ removed }) => removed)) };
}

export const countUndone = (files: readonly FileChange[]): number => files.filter(({ undo }) => undo === "undone").length;

export const hasUndo = (files: readonly FileChange[]): boolean => files.some(({ undo }) => undo === "possible");
