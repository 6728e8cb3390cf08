// One short message at the bottom: what was done, with undo. Never for errors: those appear where they happen.
// One at a time, for ten seconds; longer while hovered or focused.
import { type ReadonlySignal, signal } from "@preact/signals";

export type Toast = {
  text: string;
  /** A second, smaller line. */
  detail?: string;
  undo?: () => unknown;
};

const SHOWN_MS = 10_000;

const current = signal<Toast | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;
let holds = 0;

export const toast: ReadonlySignal<Toast | undefined> = current;

export function showToast(next: Toast): void {
  current.value = next;
  holds = 0;
  wait();
}

export function dismissToast(): void {
  clearTimeout(timer);
  current.value = undefined;
}

/** False if there is nothing to undo. */
export function undoToast(): boolean {
  const undo = current.peek()?.undo;
  if (!undo) return false;
  dismissToast();
  undo();
  return true;
}

/** Pauses the timer; `release` restarts it. */
export function holdToast(): void {
  holds += 1;
  clearTimeout(timer);
}

export function releaseToast(): void {
  holds = Math.max(0, holds - 1);
  if (holds === 0 && current.peek()) wait();
}

function wait(): void {
  clearTimeout(timer);
  timer = setTimeout(dismissToast, SHOWN_MS);
}
