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

/** The rows between two heights, the second one not included. */
export function windowOf(tops: readonly number[], top: number, bottom: number): { from: number; to: number } {
  const count = tops.length - 1;
  if (count === 0) return { from: 0, to: 0 };
  return { from: indexAt(tops, top), to: Math.min(count, indexAt(tops, bottom) + 1) };
}
