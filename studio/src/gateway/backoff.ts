// The delay before the next attempt: exponential, with jitter, so that pages do not retry in step.

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** The delay before attempt number `tries`, from 0; `chance` is between 0 and 1. */
export function pauseMs(tries: number, chance: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries, 10));
  return Math.round(full / 2 + (full / 2) * chance);
}
