// Which rows of a list are in sight, by their heights. No element of the page is touched here.

/** Where each row begins, and at last where the list ends. */
export function offsets<T>(items: readonly T[], heightOf: (item: T) => number): number[] {
  const tops = [0];
  for (const item of items) tops.push((tops.at(-1) ?? 0) + heightOf(item));
  return tops;
}

/** The row at a height: the last one that begins there or above. */
export function indexAt(tops: readonly number[], y: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

export type Window = { from: number; to: number };

/** The rows between two heights, the second one not included. */
export function windowOf(tops: readonly number[], top: number, bottom: number): Window {
  const count = tops.length - 1;
  if (count === 0) return { from: 0, to: 0 };
  return { from: indexAt(tops, top), to: Math.min(count, indexAt(tops, bottom) + 1) };
}

/** What to draw at once: what is `near`, and of what was drawn whatever is not too `far`. */
export function nearest(near: Window, far: Window, drawn: Window): Window {
  const kept = { from: Math.max(drawn.from, far.from), to: Math.min(drawn.to, far.to) };
  const isBeside = kept.from < kept.to && kept.from <= near.to && kept.to >= near.from;
  return isBeside ? { from: Math.min(kept.from, near.from), to: Math.max(kept.to, near.to) } : near;
}

/** Whether the rows from `from` to before `to` are all that there is between two heights. */
export function covers(tops: readonly number[], { from, to }: Window, top: number, bottom: number): boolean {
  const isEnd = to >= tops.length - 1;
  return (from === 0 || (tops[from] ?? 0) <= top) && (isEnd || (tops[to] ?? 0) >= bottom);
}

/** Where rows begin by what was measured of them, else by the usual height; worked out only when one of these changed. */
export class RowTops<T> {
  private readonly heights = new Map<string, number>();
  private made: { of: readonly T[]; tops: readonly number[] } | undefined;

  constructor(
    private readonly keyOf: (item: T) => string,
    private readonly usual: number,
  ) {}

  /** Notes a height, and says whether it is another one than was thought. */
  measured(key: string, height: number): boolean {
    if (height === 0 || (this.heights.get(key) ?? this.usual) === height) return false;
    this.heights.set(key, height);
    this.made = undefined;
    return true;
  }

  of(items: readonly T[]): readonly number[] {
    if (this.made?.of !== items) {
      this.made = { of: items, tops: offsets(items, (item) => this.heights.get(this.keyOf(item)) ?? this.usual) };
    }
    return this.made.tops;
  }
}
