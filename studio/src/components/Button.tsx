// A button. `kind` sets its weight; an icon alone needs a `label`.
import type { ComponentChildren, Ref, TargetedMouseEvent } from "preact";
import { Icon, type IconName } from "./Icon";

export type ButtonProps = {
  kind?: "plain" | "primary" | "quiet" | "link" | "danger";
  small?: boolean;
  icon?: IconName;
  /** The accessible name; required without text. */
  label?: string;
  /** Working; it cannot be pressed again meanwhile. */
  busy?: boolean;
  disabled?: boolean;
  /** Set apart at the end of a row of buttons. */
  apart?: boolean;
  type?: "button" | "submit";
  title?: string;
  class?: string;
  onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  buttonRef?: Ref<HTMLButtonElement>;
  expanded?: boolean;
  controls?: string;
  children?: ComponentChildren;
};

export function Button(props: ButtonProps) {
  const { kind = "plain", small, icon, label, busy, disabled, apart, type = "button", title, children } = props;
  const classes = ["btn", kind !== "plain" && kind, small && "sm", !children && "icon", apart && "apart", props.class];
  return (
    <button
      ref={props.buttonRef ?? null}
      type={type}
      class={classes.filter(Boolean).join(" ")}
      aria-label={label}
      aria-busy={busy ? "true" : undefined}
      aria-expanded={props.expanded}
      aria-controls={props.controls}
      // Stays in the tab order while busy, so that focus is not lost.
      aria-disabled={busy ? "true" : undefined}
      disabled={disabled}
      title={title}
      onClick={(event) => {
        if (!busy) props.onClick?.(event);
      }}
    >
      {busy ? <span class="spin" aria-hidden="true" /> : icon && <Icon name={icon} size={children ? "s" : "m"} />}
      {children}
    </button>
  );
}
