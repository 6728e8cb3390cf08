// The current entry beside the proposed one; changed fields are marked.
import { t } from "../../words";
import { type CurrentFields, type FieldName, type EntryFieldValues, changes, fieldNames, fieldText } from "./proposal";

export function EntryComparison({ current, proposed }: { current: CurrentFields | undefined; proposed: EntryFieldValues }) {
  return (
    <div class="entries">
      <section class="entry" aria-label={t("apps.currentEntry")}>
        <h3>{t("apps.current")}</h3>
        {current ? <EntryFields of={current} /> : <p class="none">{t("apps.currentNone")}</p>}
      </section>
      <section class="entry new" aria-label={t("apps.proposedEntry")}>
        <h3>{t("apps.proposed")}</h3>
        <EntryFields of={proposed} changed={changes(current, proposed)} />
      </section>
    </div>
  );
}

/** Every field, by its name in the registry. */
export function EntryFields({ of, changed }: { of: CurrentFields; changed?: ReadonlySet<FieldName> }) {
  return (
    <dl>
      {fieldNames.map((name) => (
        <div key={name} class={changed?.has(name) ? "chg" : undefined}>
          <dt>
            {name}
            {changed?.has(name) && <span class="mark"> · {t("apps.changes")}</span>}
          </dt>
          <dd>{fieldText(of, name) ?? <span class="quiet">{t("apps.absent")}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
