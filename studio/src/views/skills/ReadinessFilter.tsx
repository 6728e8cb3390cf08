// The filter by readiness, in the words of the chips, with counts; the same in both lists.
import { Filters, readinessText } from "../../components";
import { type Readiness, everyReadiness } from "../../state/readiness";
import { t } from "../../words";

export type ReadinessChoice = "any" | Readiness;

/** Validates the stored value. */
export const readinessChoice = (stored: string): ReadinessChoice =>
  (everyReadiness as readonly string[]).includes(stored) ? (stored as Readiness) : "any";

type FilterProps = {
  value: ReadinessChoice;
  counts: Record<Readiness, number>;
  all: number;
  onChange: (value: ReadinessChoice) => void;
};

export function ReadinessFilter({ value, counts, all, onChange }: FilterProps) {
  return (
    <Filters
      label={t("skills.byReadiness")}
      value={value}
      onChange={onChange}
      choices={[
        { value: "any", text: t("skills.anyReadiness"), count: all },
        ...everyReadiness.map((word) => ({ value: word, text: readinessText(word), count: counts[word] })),
      ]}
    />
  );
}
