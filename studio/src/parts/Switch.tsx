// On or off, at once. The side of the knob and its tick carry the state; colour repeats it.
import { Icon } from "./Icon";

type SwitchProps = {
  checked: boolean;
  /** Its accessible name, such as `Skill notion`. */
  label: string;
  /** It is being saved. */
  busy?: boolean;
  disabled?: boolean;
  describedBy?: string;
  onChange: (checked: boolean) => void;
};

export function Switch({ checked, label, busy, disabled, describedBy, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={checked}
      aria-label={label}
      aria-busy={busy ? "true" : undefined}
      // As a button that works: it keeps the focus, and says that it cannot be pressed meanwhile.
      aria-disabled={busy ? "true" : undefined}
      aria-describedby={describedBy}
      disabled={disabled}
      data-row-control="switch"
      onClick={() => {
        if (!busy) onChange(!checked);
      }}
    >
      <span class="knob">
        <Icon name="check" />
      </span>
    </button>
  );
}
