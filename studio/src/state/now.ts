// The current time as signals that tick only while they are observed.
import { type ReadonlySignal, signal } from "@preact/signals";

/** Ticks every second, for countdowns. */
export const everySecond = ticking(1000);
/** Ticks every half minute, for "2 min ago". */
export const everyMinute = ticking(30_000);

function ticking(ms: number): ReadonlySignal<number> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const now = signal(Date.now(), {
    watched() {
      now.value = Date.now();
      timer = setInterval(() => (now.value = Date.now()), ms);
    },
    unwatched() {
      clearInterval(timer);
    },
  });
  return now;
}
