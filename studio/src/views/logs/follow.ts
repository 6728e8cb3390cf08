// Follows the log while it is watched, and pauses it while it is read.
// Entries do not move while someone reads: scrolling down pauses.
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { link } from "../../gateway/link";
import type { LogEntry } from "../../state/logs/entries";
import { type LogFeed, feed } from "../../state/logs/feed";

const LOOK_MS = 2000;
/** Scrolling this far pauses. */
const READING_PX = 160;

export type LogFollow = {
  feed: LogFeed;
  /** The shown entries; undefined before the first load. */
  entries: readonly LogEntry[] | undefined;
  isPaused: boolean;
  /** New entries since it was paused. */
  waiting: number;
  pause(): void;
  follow(): void;
};

export function useFollow(list: RefObject<HTMLElement | null>): LogFollow {
  const live = useMemo(() => feed(), []);
  const [held, hold] = useState<readonly LogEntry[]>();
  const entries = live.entries.value;
  const isConnected = link.value.state === "ready";

  useEffect(() => {
    if (!isConnected) return;
    let timer: ReturnType<typeof setTimeout>;
    let isWanted = true;
    const look = async () => {
      if (!document.hidden) await live.refresh();
      if (isWanted) timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [live, isConnected]);

  // A layout effect, so that scrolling right after the first render pauses too.
  useLayoutEffect(() => {
    const look = () => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      if (top < -READING_PX) hold((now) => now ?? live.entries.peek());
    };
    document.addEventListener("scroll", look, { capture: true, passive: true });
    return () => document.removeEventListener("scroll", look, { capture: true });
  }, [live]);

  const waiting = useMemo(() => {
    if (!held || !entries) return 0;
    const known = new Set(held.map(({ key }) => key));
    return entries.filter(({ key }) => !known.has(key)).length;
  }, [held, entries]);

  return {
    feed: live,
    entries: held ?? entries,
    isPaused: held !== undefined,
    waiting,
    pause: () => hold(live.entries.peek() ?? []),
    follow: () => {
      hold(undefined);
      if ((list.current?.getBoundingClientRect().top ?? 0) < 0) list.current?.scrollIntoView({ block: "start" });
    },
  };
}
