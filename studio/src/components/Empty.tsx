// An empty state: what it is, what to do, one action.
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon";

type EmptyProps = { icon: IconName; title: string; actions?: ComponentChildren; children?: ComponentChildren };

export function Empty({ icon, title, actions, children }: EmptyProps) {
  return (
    <div class="empty">
      <span class="glyph" aria-hidden="true">
        <Icon name={icon} />
      </span>
      <h3>{title}</h3>
      {children && <p>{children}</p>}
      {actions && <div class="btns">{actions}</div>}
    </div>
  );
}
