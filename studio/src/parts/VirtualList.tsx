// A long list of which only the rows in sight are drawn. Rows may have any height; it is measured once they are shown.
// Promises: Up, Down, Home and End go to the same control (`data-row-control`) of another row, drawn or not.
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { rowAfter } from "./keys";
import { offsets, windowOf } from "./window";

type VirtualListProps<T> = {
  items: readonly T[];
  keyOf: (item: T) => string;
  /** The content of a row; it is put into an `<li>`. */
  children: (item: T, index: number) => ComponentChildren;
  /** The classes of the `<li>` of a row. */
  rowClass?: (item: T) => string;
  /** The usual height of a row, in pixels. */
  estimate: number;
  label: string;
  class?: string;
  /** The row that must be in sight, by its key: where a link points at. */
  target?: string | undefined;
};

/** Drawn above and below what is in sight. */
const OVERSCAN_PX = 600;
/** What must stay drawn there; scrolling draws again only when less is left. */
const SLACK_PX = 200;

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, keyOf, estimate, target } = props;
  const list = useRef<HTMLUListElement>(null);
  const heights = useRef(new Map<string, number>());
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const focus = useRef<{ index: number; control: string } | undefined>(undefined);
  const range = useRef({ top: 0, bottom: 1200 });
  const observed = useRef<ReadonlySet<Element>>(new Set());

  const tops = offsets(items, (item) => heights.current.get(keyOf(item)) ?? estimate);
  const total = tops.at(-1) ?? 0;
  const { from, to } = windowOf(tops, range.current.top - OVERSCAN_PX, range.current.bottom + OVERSCAN_PX);
  const drawn = useRef({ top: 0, bottom: 0 });
  drawn.current = {
    top: from === 0 ? -Infinity : (tops[from] ?? 0),
    bottom: to === items.length ? Infinity : (tops[to] ?? total),
  };

  const observer = useMemo(() => {
    const measure = (entries: ResizeObserverEntry[]) => {
      let changed = false;
      for (const { target: row, borderBoxSize } of entries) {
        const key = (row as HTMLElement).dataset["key"];
        const height = borderBoxSize[0]?.blockSize ?? 0;
        if (!key || height === 0 || heights.current.get(key) === height) continue;
        heights.current.set(key, height);
        changed = true;
      }
      if (changed) redraw(undefined);
    };
    return new ResizeObserver(measure);
  }, []);

  // What is in sight, whichever ancestor scrolls.
  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const box = list.current?.getBoundingClientRect();
      if (!box) return;
      range.current = { top: -box.top, bottom: window.innerHeight - box.top };
      const { top, bottom } = range.current;
      if (top - SLACK_PX < drawn.current.top || bottom + SLACK_PX > drawn.current.bottom) redraw(undefined);
    };
    const later = () => (frame ||= requestAnimationFrame(look));
    look();
    document.addEventListener("scroll", later, { capture: true, passive: true });
    window.addEventListener("resize", later);
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener("scroll", later, { capture: true });
      window.removeEventListener("resize", later);
      observer.disconnect();
    };
  }, []);

  useLayoutEffect(() => {
    // A row that is observed anew is measured anew: only those are that were not there before.
    const rows = new Set(list.current?.children);
    for (const row of observed.current) if (!rows.has(row)) observer.unobserve(row);
    for (const row of rows) if (!observed.current.has(row)) observer.observe(row);
    observed.current = rows;
    const wanted = focus.current;
    const row = wanted && list.current?.querySelector<HTMLElement>(`[data-index="${wanted.index}"]`);
    if (!wanted || !row) return;
    focus.current = undefined;
    row.scrollIntoView({ block: "nearest" });
    row.querySelector<HTMLElement>(`[data-row-control="${CSS.escape(wanted.control)}"]`)?.focus();
  });

  const show = (index: number) => {
    const top = (tops[index] ?? 0) + (list.current?.getBoundingClientRect().top ?? 0);
    if (top >= 0 && top < window.innerHeight - estimate) return;
    scrollerOf(list.current)?.scrollBy({ top: top - window.innerHeight / 2 });
  };

  useLayoutEffect(() => {
    const index = target === undefined ? -1 : items.findIndex((item) => keyOf(item) === target);
    if (index >= 0) show(index);
  }, [target, items.length > 0]);

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLUListElement>) => {
    const control = (event.target as HTMLElement).dataset["rowControl"];
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
    if (!control || !row) return;
    const to = rowAfter(event.key, Number(row.dataset["index"]), items.length);
    if (to === undefined) return;
    event.preventDefault();
    focus.current = { index: to, control };
    show(to);
    redraw(undefined);
  };

  return (
    <ul
      ref={list}
      class={props.class}
      aria-label={props.label}
      onKeyDown={onKeyDown}
      style={{ paddingTop: `${tops[from] ?? 0}px`, paddingBottom: `${total - (tops[to] ?? total)}px` }}
    >
      {items.slice(from, to).map((item, offset) => (
        <li
          key={keyOf(item)}
          class={props.rowClass?.(item)}
          data-key={keyOf(item)}
          data-index={from + offset}
          aria-setsize={items.length}
          aria-posinset={from + offset + 1}
        >
          {props.children(item, from + offset)}
        </li>
      ))}
    </ul>
  );
}

function scrollerOf(element: HTMLElement | null): Element | null {
  for (let at = element?.parentElement; at; at = at.parentElement) {
    if (at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.scrollingElement;
}
