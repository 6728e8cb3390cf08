// Follows the log while somebody looks at it, and holds it still while it is read.
// Promises: what is shown does not move under the hand: below the top of the list it pauses by itself.
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { link } from "../../gateway/link";
import type { Entry } from "../../state/logs/entries";
import { type Feed, feed } from "../../state/logs/feed";

const LOOK_MS = 2000;
/** How far the list may be scrolled before it is held. */
const READING_PX = 160;

export type Follow = {
  feed: Feed;
  /** What is shown; undefined until something was read. */
  entries: readonly Entry[] | undefined;
  isPaused: boolean;
  /** How many entries came since it was paused. */
  waiting: number;
  pause(): void;
  follow(): void;
};

export function useFollow(list: RefObject<HTMLElement | null>): Follow {
  const live = useMemo(() => feed(), []);
  const [held, hold] = useState<readonly Entry[]>();
  const entries = live.entries.value;
  const isConnected = link.value.state === "ready";

  useEffect(() => {
    if (!isConnected) return;
    let timer: ReturnType<typeof setTimeout>;
    let isWanted = true;
    const look = async () => {
      if (!document.hidden) await live.look();
      if (isWanted) timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [live, isConnected]);

  // Heard from the first drawing on, so that the list stays still for whoever scrolls at once.
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
