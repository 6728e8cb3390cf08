// The time, for what is shown: a signal that moves only while somebody looks at it.
import { type ReadonlySignal, signal } from "@preact/signals";

/** Moves each second: for what counts down. */
export const everySecond = ticking(1000);
/** Moves each half minute: for "2 min ago". */
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
