// The one short message at the bottom: what was done, with a way back. Never for errors: those stay where they happen.
// Promises: one at a time, ten seconds, longer while it is hovered or focused.
import { type ReadonlySignal, signal } from "@preact/signals";

export type Toast = {
  text: string;
  /** A second, smaller line. */
  detail?: string;
  /** Takes back what was done. */
  undo?: () => unknown;
};

const SHOWN_MS = 10_000;

const shown = signal<Toast | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;
let holds = 0;

export const toast: ReadonlySignal<Toast | undefined> = shown;

export function showToast(next: Toast): void {
  shown.value = next;
  holds = 0;
  wait();
}

export function dismissToast(): void {
  clearTimeout(timer);
  shown.value = undefined;
}

/** Takes back what the message is about. False when there is nothing to take back. */
export function undoToast(): boolean {
  const undo = shown.peek()?.undo;
  if (!undo) return false;
  dismissToast();
  undo();
  return true;
}

/** Keeps it while somebody is at it; `release` lets its time begin anew. */
export function holdToast(): void {
  holds += 1;
  clearTimeout(timer);
}

export function releaseToast(): void {
  holds = Math.max(0, holds - 1);
  if (holds === 0 && shown.peek()) wait();
}

function wait(): void {
  clearTimeout(timer);
  timer = setTimeout(dismissToast, SHOWN_MS);
}
