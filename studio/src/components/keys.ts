// Keys that work the same in every view.

/** The key belongs to a text field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowUp: (at) => at - 1,
  ArrowDown: (at) => at + 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** The row that a key moves to from row `at`; undefined if it does not move. */
export function rowAfter(key: string, at: number, count: number): number | undefined {
  const to = STEPS[key]?.(at, count);
  return to !== undefined && to >= 0 && to < count && to !== at ? to : undefined;
}

/** F6 and Shift F6: moves to the next or previous visible region (`data-region`), in a cycle. */
export function goToRegion(backwards: boolean): void {
  const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")].filter(
    (region) => region.getClientRects().length > 0,
  );
  if (regions.length === 0) return;
  // The innermost region with focus.
  const at = regions.findLastIndex((region) => region.contains(document.activeElement));
  const step = backwards ? -1 : 1;
  const to = at < 0 ? (backwards ? regions.length - 1 : 0) : (at + step + regions.length) % regions.length;
  const region = regions[to];
  const first = region?.querySelector<HTMLElement>("[data-region-focus]") ?? region;
  if (first && first.tabIndex < 0 && !first.hasAttribute("tabindex")) first.tabIndex = -1;
  first?.focus();
}
