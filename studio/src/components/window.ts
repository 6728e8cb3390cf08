// Which rows of a list are visible, by their heights. No DOM access.

/** The top of each row, and finally the end of the list. */
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

export type RowRange = { from: number; to: number };

/** The rows between two heights; `to` is exclusive. */
export function windowOf(tops: readonly number[], top: number, bottom: number): RowRange {
  const count = tops.length - 1;
  if (count === 0) return { from: 0, to: 0 };
  return { from: indexAt(tops, top), to: Math.min(count, indexAt(tops, bottom) + 1) };
}

/** The rows to render at once: all `near` ones, and rendered ones that are not too `far`. */
export function nearest(near: RowRange, far: RowRange, drawn: RowRange): RowRange {
  const kept = { from: Math.max(drawn.from, far.from), to: Math.min(drawn.to, far.to) };
  const isBeside = kept.from < kept.to && kept.from <= near.to && kept.to >= near.from;
  return isBeside ? { from: Math.min(kept.from, near.from), to: Math.max(kept.to, near.to) } : near;
}

/** Whether the rows `from` to `to` cover everything between two heights. */
export function coversRange(tops: readonly number[], { from, to }: RowRange, top: number, bottom: number): boolean {
  const isEnd = to >= tops.length - 1;
  return (from === 0 || (tops[from] ?? 0) <= top) && (isEnd || (tops[to] ?? 0) >= bottom);
}

/** The tops of rows by measured height, else by the usual one; cached until one of them changes. */
export class RowTops<T> {
  private readonly heights = new Map<string, number>();
  private cached: { of: readonly T[]; tops: readonly number[] } | undefined;

  constructor(
    private readonly keyOf: (item: T) => string,
    private readonly usual: number,
  ) {}

  /** Records a height; true if it differs from the known one. */
  setHeight(key: string, height: number): boolean {
    if (height === 0 || (this.heights.get(key) ?? this.usual) === height) return false;
    this.heights.set(key, height);
    this.cached = undefined;
    return true;
  }

  tops(items: readonly T[]): readonly number[] {
    if (this.cached?.of !== items) {
      this.cached = { of: items, tops: offsets(items, (item) => this.heights.get(this.keyOf(item)) ?? this.usual) };
    }
    return this.cached.tops;
  }
}
