// A state as an icon and a word, always both. Never a button.
import type { ComponentChildren } from "preact";
import type { Readiness } from "../state/readiness";
import { t } from "../words";
import { Icon, type IconName } from "./Icon";

const kinds: Record<Readiness, { class: string; icon: IconName; text: () => string }> = {
  ready: { class: "ready", icon: "ok", text: () => t("shared.ready") },
  setup: { class: "setup", icon: "wrench", text: () => t("shared.setupRequired") },
  unsupported: { class: "unsup", icon: "ban", text: () => t("shared.notSupported") },
  blocked: { class: "block", icon: "shieldx", text: () => t("shared.blocked") },
  disabled: { class: "off", icon: "power", text: () => t("shared.disabledForAll") },
};

/** The readiness of a skill; the same words everywhere. */
export function ReadinessChip({ readiness }: { readiness: Readiness }) {
  const kind = kinds[readiness];
  return (
    <span class={`chip ${kind.class}`}>
      <Icon name={kind.icon} />
      {kind.text()}
    </span>
  );
}

export const readinessText = (readiness: Readiness): string => kinds[readiness].text();

/** Any other state. */
export function Chip({ kind = "plain", icon, children }: { kind?: "plain" | "accent" | "ready" | "setup" | "unsup" | "block" | "off"; icon: IconName; children: ComponentChildren }) {
  return (
    <span class={`chip ${kind}`}>
      <Icon name={icon} />
      {children}
    </span>
  );
}
