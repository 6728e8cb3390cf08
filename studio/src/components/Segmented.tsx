// A choice of one: real radios with a visible dot. `narrow` makes it a native select below 720 px.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "./Icon";

export type Choice<T extends string> = { value: T; text: string; more?: ComponentChildren; disabled?: boolean };

type SegmentedProps<T extends string> = {
  label: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
  disabled?: boolean;
  narrow?: "stack" | "select";
};

export function Segmented<T extends string>({ label, value, choices, onChange, disabled, narrow = "stack" }: SegmentedProps<T>) {
  const id = useId();
  const asSelect = narrow === "select";
  return (
    <>
      <div class={asSelect ? "seg only-wide" : "seg"} role="radiogroup" aria-label={label}>
        {choices.map((choice) => (
          <label key={choice.value}>
            <input
              type="radio"
              name={id}
              checked={choice.value === value}
              disabled={disabled || choice.disabled}
              onChange={() => onChange(choice.value)}
            />
            <span class="dot" aria-hidden="true" />
            {choice.text}
            {choice.more}
          </label>
        ))}
      </div>
      {asSelect && (
        <span class="pick only-narrow">
          <Select label={label} value={value} choices={choices} onChange={onChange} disabled={disabled ?? false} />
        </span>
      )}
    </>
  );
}

type SelectProps<T extends string> = Omit<SegmentedProps<T>, "narrow"> & { id?: string };

/** A styled native select; put it into a `<span class="pick">` beside its visible label, if it has one. */
export function Select<T extends string>({ label, value, choices, onChange, disabled, id }: SelectProps<T>) {
  return (
    <>
      <select
        id={id}
        class="select"
        aria-label={label}
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.value as T)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} disabled={choice.disabled}>
            {choice.text}
          </option>
        ))}
      </select>
      <Icon name="down" size="s" />
    </>
  );
}
