// A message that stays on the page: disconnected, blocked, failed. `alert` is announced at once.
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon";

type BannerProps = {
  kind: "info" | "warn" | "bad";
  icon?: IconName;
  alert?: boolean;
  action?: ComponentChildren;
  children: ComponentChildren;
};

export function Banner({ kind, icon, alert, action, children }: BannerProps) {
  return (
    <div class={`banner ${kind}`} role={alert ? "alert" : "note"}>
      <Icon name={icon ?? (kind === "info" ? "info" : "warn")} />
      <p class="grow">{children}</p>
      {action}
    </div>
  );
}
