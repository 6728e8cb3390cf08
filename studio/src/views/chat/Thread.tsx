// The scrolling conversation: only visible rows are rendered, and only changed ones again.
// It stays at the end if it was there, else at the reading position, also when older rows are added above.
import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { Button } from "../../components";
import { indexAt, offsets, windowOf } from "../../components/window";
import type { Row } from "../../state/chat/rows";
import { t } from "../../words";

type ThreadProps = {
  rows: readonly Row[];
  draw: (row: Row) => VNode;
  /** Above the first row: the state of loading older ones. */
  above?: ComponentChildren;
  onTop: () => void;
};

const OVERSCAN_PX = 800;
/** Until the first rows are rendered: visible rows do not wait for the rest. */
const FIRST_PX = 0;
const ESTIMATE_PX = 88;
/** A closed card: of a tool call, or of changed files. */
const CALL_PX = 46;
/** The distance that counts as at the end. */
const NEAR_PX = 48;

export function Thread({ rows, draw, above, onTop }: ThreadProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  /** The row at the top of the viewport, and how much of it is above; undefined at the end. */
  const anchor = useRef<{ key: string; above: number } | undefined>(undefined);
  const view = useRef({ top: 0, height: 800 });
  const [reach, setReach] = useState(FIRST_PX);
  const [isAway, setAway] = useState(false);
  const [seen, setSeen] = useState<string | undefined>(undefined);
  const drawn = useMemo(() => new WeakMap<Row, VNode>(), [draw]);

  // Sending a message scrolls to it.
  const last = rows.at(-1);
  const own = last?.kind === "outgoing" ? last.key : undefined;
  const lastOwn = useRef(own);
  if (own && own !== lastOwn.current) anchor.current = undefined;
  lastOwn.current = own;

  const tops = offsets(rows, (row) => heights.current.get(row.key) ?? estimateOf(row));
  const total = tops.at(-1) ?? 0;
  const at = anchor.current && rows.findIndex((row) => row.key === anchor.current?.key);
  const targetTop = at === undefined ? total - view.current.height : at >= 0 ? (tops[at] ?? 0) + (anchor.current?.above ?? 0) : view.current.top;
  const { from, to } = windowOf(tops, targetTop - reach, targetTop + view.current.height + reach);

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let isOther = false;
        for (const { target, borderBoxSize } of entries) {
          const key = (target as HTMLElement).dataset["key"];
          const height = borderBoxSize[0]?.blockSize ?? 0;
          if (key === undefined) {
            isOther = true;
          } else if (height > 0 && heights.current.get(key) !== height) {
            heights.current.set(key, height);
            isOther = true;
          }
        }
        if (isOther) redraw(undefined);
      }),
    [],
  );

  // Restores the reading position, or the end.
  useLayoutEffect(() => {
    const box = scroller.current;
    const inner = list.current;
    if (!box || !inner) return;
    observer.disconnect();
    observer.observe(box);
    for (const row of inner.children) observer.observe(row);
    view.current.height = box.clientHeight;
    const target = anchor.current ? targetTop + inner.offsetTop : box.scrollHeight - box.clientHeight;
    if (Math.abs(box.scrollTop - target) >= 1) box.scrollTop = target;
    view.current.top = box.scrollTop - inner.offsetTop;
  });
  useLayoutEffect(() => {
    const timer = setTimeout(() => setReach(OVERSCAN_PX));
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, []);

  const scrolled = () => {
    const box = scroller.current;
    const inner = list.current;
    if (!box || !inner) return;
    const isAtEnd = box.scrollHeight - box.clientHeight - box.scrollTop < NEAR_PX;
    const top = box.scrollTop - inner.offsetTop;
    const index = indexAt(tops, top);
    const row = rows[index];
    anchor.current = isAtEnd || !row ? undefined : { key: row.key, above: top - (tops[index] ?? 0) };
    const before = view.current.top;
    view.current = { top, height: box.clientHeight };
    if (isAway === isAtEnd) {
      setAway(!isAtEnd);
      setSeen(last?.key);
    }
    if (top < NEAR_PX * 8) onTop();
    if (top !== before) redraw(undefined);
  };

  const toEnd = () => {
    anchor.current = undefined;
    setAway(false);
    redraw(undefined);
    scroller.current?.focus();
  };

  return (
    <div class="stage">
      <div class="scroll" ref={scroller} tabIndex={0} role="region" aria-label={t("chat.conversation")} data-region="conversation" onScroll={scrolled}>
        {above}
        <div
          class="thread"
          ref={list}
          role="log"
          aria-live="off"
          aria-label={t("chat.messages")}
          style={{ paddingTop: `${tops[from] ?? 0}px`, paddingBottom: `${total - (tops[to] ?? total)}px` }}
        >
          {rows.slice(from, to).map((row) => (
            <div class="row-box" key={row.key} data-key={row.key}>
              {drawOnce(drawn, row, draw)}
            </div>
          ))}
        </div>
      </div>
      {isAway && (
        <div class="to-end">
          <Button small icon="down" onClick={toEnd}>
            {last?.key !== seen ? t("chat.newMessages") : t("chat.toEnd")}
          </Button>
        </div>
      )}
    </div>
  );
}

function estimateOf(row: Row): number {
  if (row.kind === "changes") return CALL_PX;
  return ESTIMATE_PX + (row.kind === "answer" ? row.calls.length * CALL_PX : 0);
}

/** The same element for the same row: Preact skips it. */
function drawOnce(drawn: WeakMap<Row, VNode>, row: Row, draw: (row: Row) => VNode): VNode {
  const known = drawn.get(row);
  if (known) return known;
  const element = draw(row);
  drawn.set(row, element);
  return element;
}
