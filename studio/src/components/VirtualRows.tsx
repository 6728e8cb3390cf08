// The rendered rows of a virtual list.
// A row renders again only if its item, position or render function changes, or a signal that it reads.
import type { ComponentChildren, VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { RowRange } from "./window";

export type RowsProps<T> = {
  items: readonly T[];
  keyOf: (item: T) => string;
  /** The content of a row, inside an `<li>`. A new function renders every row again. */
  children: (item: T, index: number) => ComponentChildren;
  /** The classes of a row's `<li>`. A new function renders every row again. */
  rowClass?: (item: T) => string;
};

type DrawnRow<T> = { item: T; index: number; row: VNode };

export function useRows<T>(props: RowsProps<T>, { from, to }: RowRange): VNode[] {
  const before = useRef<ReadonlyMap<string, DrawnRow<T>>>(new Map());
  useMemo(() => (before.current = new Map()), [props.children, props.rowClass, props.items.length]);
  const now = new Map<string, DrawnRow<T>>();
  for (let index = from; index < to; index += 1) {
    const item = props.items[index] as T;
    const key = props.keyOf(item);
    const old = before.current.get(key);
    // The same element again: Preact skips it.
    const isSame = old !== undefined && old.item === item && old.index === index;
    now.set(key, isSame ? old : { item, index, row: <Row key={key} of={props} item={item} index={index} /> });
  }
  before.current = now;
  return [...now.values()].map(({ row }) => row);
}

/** A component of its own, so that a signal read in it renders only this row. */
function Row<T>({ of, item, index }: { of: RowsProps<T>; item: T; index: number }) {
  return (
    <li class={of.rowClass?.(item)} data-key={of.keyOf(item)} data-index={index} aria-setsize={of.items.length} aria-posinset={index + 1}>
      {of.children(item, index)}
    </li>
  );
}
