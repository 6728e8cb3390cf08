// A long list that renders only visible rows. Rows may have any height; they are measured once rendered.
// Up, Down, Home and End move to the same control (`data-row-control`) of another row, rendered or not; scrolling
// renders rows that become visible and leaves the others alone.
import type { TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { type RowsProps, useRows } from "./VirtualRows";
import { rowAfter } from "./keys";
import { RowTops, coversRange, nearest, windowOf } from "./window";

type VirtualListProps<T> = RowsProps<T> & {
  /** The usual height of a row, in pixels. */
  estimate: number;
  /** The accessible name, where nothing else gives one. */
  label?: string;
  class?: string;
  /** The key of the row to scroll to: the target of a link. */
  target?: string | undefined;
};

/** Rendered at once above and below the viewport. */
const NEAR_PX = 200;
/** Rendered a moment later, in its own task, so that visible rows do not wait. */
const FAR_PX = 600;
/** With less than this rendered, more is. */
const ENOUGH_PX = 400;

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, keyOf, estimate, target } = props;
  const list = useRef<HTMLUListElement>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const focus = useRef<{ index: number; control: string } | undefined>(undefined);
  const range = useRef({ top: 0, bottom: window.innerHeight });
  const observed = useRef<ReadonlySet<Element>>(new Set());

  const rowTops = useMemo(() => new RowTops(keyOf, estimate), []);
  const tops = rowTops.tops(items);
  const total = tops.at(-1) ?? 0;
  const around = (px: number) => windowOf(tops, range.current.top - px, range.current.bottom + px);
  const drawn = useRef({ items, visible: around(NEAR_PX) });
  /** Whether there is time for far rows. */
  const isFilling = useRef(false);
  const draws = isFilling.current ? "far" : items.length === drawn.current.items.length ? "more" : "near";
  isFilling.current = false;
  const visible =
    draws === "far" ? around(FAR_PX) : draws === "near" ? around(NEAR_PX) : nearest(around(NEAR_PX), around(FAR_PX), drawn.current.visible);
  drawn.current = { items, visible };
  const rows = useRows(props, visible);

  const frame = useRef(0);
  const timer = useRef(0);
  const fill = () => {
    timer.current = 0;
    isFilling.current = true;
    redraw(undefined);
  };
  const updateRange = () => {
    const box = list.current?.getBoundingClientRect();
    if (!box) return;
    const { top, bottom } = (range.current = { top: -box.top, bottom: window.innerHeight - box.top });
    const has = (px: number) => coversRange(rowTops.tops(drawn.current.items), drawn.current.visible, top - px, bottom + px);
    if (!has(NEAR_PX)) redraw(undefined);
    if (!has(ENOUGH_PX)) timer.current ||= window.setTimeout(fill);
  };
  const lookLater = () => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0;
      updateRange();
    });
  };

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        const news = entries.filter(({ target: row, borderBoxSize }) =>
          rowTops.setHeight((row as HTMLElement).dataset["key"] ?? "", borderBoxSize[0]?.blockSize ?? 0),
        );
        // Rendered rows have their true height already: render again only if they do not reach far enough.
        if (news.length > 0) updateRange();
      }),
    [],
  );

  // The visible part, whichever ancestor scrolls.
  useLayoutEffect(() => {
    document.addEventListener("scroll", lookLater, { capture: true, passive: true });
    window.addEventListener("resize", lookLater);
    return () => {
      cancelAnimationFrame(frame.current);
      clearTimeout(timer.current);
      document.removeEventListener("scroll", lookLater, { capture: true });
      window.removeEventListener("resize", lookLater);
      observer.disconnect();
    };
  }, []);
  useLayoutEffect(lookLater, [items]);

  useLayoutEffect(() => {
    // Observing a row measures it again: observe only new ones.
    const now = new Set(list.current?.children);
    for (const row of observed.current) if (!now.has(row)) observer.unobserve(row);
    for (const row of now) if (!observed.current.has(row)) observer.observe(row);
    observed.current = now;
    // Lay out in this task, not in the frame that renders the next visible rows.
    if (draws === "far") list.current?.getBoundingClientRect();
    const focused = focus.current;
    const row = focused && list.current?.querySelector<HTMLElement>(`[data-index="${focused.index}"]`);
    if (!focused || !row) return;
    focus.current = undefined;
    row.scrollIntoView({ block: "nearest" });
    row.querySelector<HTMLElement>(`[data-row-control="${CSS.escape(focused.control)}"]`)?.focus();
  });

  const show = (index: number) => {
    const top = (rowTops.tops(items)[index] ?? 0) + (list.current?.getBoundingClientRect().top ?? 0);
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
      style={{ paddingTop: `${tops[visible.from] ?? 0}px`, paddingBottom: `${total - (tops[visible.to] ?? total)}px` }}
    >
      {rows}
    </ul>
  );
}

function scrollerOf(element: HTMLElement | null): Element | null {
  for (let at = element?.parentElement; at; at = at.parentElement) {
    if (at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return document.scrollingElement;
}
