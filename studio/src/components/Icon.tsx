// One of our line icons. Never the only carrier of a meaning.
import { type IconName, filled, icons, widths } from "./icons";

export type { IconName };

/** `size`: s 14, m 16, l 20 pixels. `class` adds to it. */
export function Icon({ name, size = "m", class: more = "" }: { name: IconName; size?: "s" | "m" | "l"; class?: string }) {
  const classes = ["ic", size === "m" ? "" : size, more].filter(Boolean).join(" ");
  return (
    <svg class={classes} viewBox="0 0 16 16" aria-hidden="true">
      <path d={icons[name]} stroke-width={widths[name]} />
      {filled[name] && <path d={filled[name]} fill="currentColor" />}
    </svg>
  );
}
