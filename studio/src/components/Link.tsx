// A link within the page: a real address, followed without a reload.
import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { type Route, go, hrefOf } from "../state/route";

type LinkProps = {
  to: Route;
  class?: string;
  label?: string;
  title?: string;
  current?: "page" | "true" | false;
  onFollow?: () => void;
  children: ComponentChildren;
};

export function Link({ to, class: classes, label, title, current, onFollow, children }: LinkProps) {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
    onFollow?.();
  };
  return (
    <a href={hrefOf(to)} class={classes} aria-label={label} title={title} aria-current={current || undefined} onClick={follow}>
      {children}
    </a>
  );
}
