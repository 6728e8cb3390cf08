// A switch that applies at once. Knob position and tick carry the state; colour repeats it.
import { Icon } from "./Icon";

type SwitchProps = {
  checked: boolean;
  /** The accessible name, such as `Skill notion`. */
  label: string;
  /** The change is being saved. */
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
      // Like a busy button: it keeps focus and cannot be pressed meanwhile.
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
