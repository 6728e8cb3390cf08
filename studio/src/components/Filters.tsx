// A row of filters with counts: plain words with an underline, distinct from chips.
import { number } from "../words";

export type FilterChoice<T extends string> = { value: T; text: string; count?: number };

type FiltersProps<T extends string> = {
  label: string;
  value: T;
  choices: readonly FilterChoice<T>[];
  onChange: (value: T) => void;
};

export function Filters<T extends string>({ label, value, choices, onChange }: FiltersProps<T>) {
  return (
    <div class="filters" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          class="filter"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.text}
          {choice.count !== undefined && <span class="n">{number(choice.count)}</span>}
        </button>
      ))}
    </div>
  );
}
