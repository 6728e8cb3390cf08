// One of our line icons, from the sprite that the gateway serves. Never the only carrier of a meaning.
// Under a hashed name, so that the browser keeps it: icons that are new on the page show also while the gateway is away.
import sprite from "./icons.svg";
import type { IconName } from "./icon-names";

export type { IconName };

/** `size`: s 14, m 16, l 20 pixels. `class` adds to it. */
export function Icon({ name, size = "m", class: more = "" }: { name: IconName; size?: "s" | "m" | "l"; class?: string }) {
  const classes = ["ic", size === "m" ? "" : size, more].filter(Boolean).join(" ");
  return (
    <svg class={classes} aria-hidden="true">
      <use href={`${sprite}#i-${name}`} />
    </svg>
  );
}
