// The button below a long list that shows more of it. When everything is shown, focus moves to the list.
import type { RefObject } from "preact";
import { Button } from "./Button";

type ShowMoreProps = {
  /** How many are not shown yet. */
  left: number;
  /** How many are added at once. */
  step: number;
  label: (n: number) => string;
  /** A focusable element. */
  list: RefObject<HTMLElement | null>;
  onMore: (n: number) => void;
};

export function ShowMore({ left, step, label, list, onMore }: ShowMoreProps) {
  if (left <= 0) return null;
  const n = Math.min(step, left);
  return (
    <div class="show-more">
      <Button
        small
        icon="down"
        onClick={() => {
          if (n === left) list.current?.focus();
          onMore(n);
        }}
      >
        {label(n)}
      </Button>
    </div>
  );
}
