// The entry as it is beside the entry as it would be; what changes has an edge and the word for it.
import { t } from "../../words";
import { type Current, type FieldName, type Fields, changes, fieldNames, written } from "./proposal";

export function Proposed({ current, proposed }: { current: Current | undefined; proposed: Fields }) {
  return (
    <div class="entries">
      <section class="entry" aria-label={t("apps.currentEntry")}>
        <h3>{t("apps.current")}</h3>
        {current ? <Values of={current} /> : <p class="none">{t("apps.currentNone")}</p>}
      </section>
      <section class="entry new" aria-label={t("apps.proposedEntry")}>
        <h3>{t("apps.proposed")}</h3>
        <Values of={proposed} changed={changes(current, proposed)} />
      </section>
    </div>
  );
}

/** Every field in the words of the registry. */
export function Values({ of, changed }: { of: Current; changed?: ReadonlySet<FieldName> }) {
  return (
    <dl>
      {fieldNames.map((name) => (
        <div key={name} class={changed?.has(name) ? "chg" : undefined}>
          <dt>
            {name}
            {changed?.has(name) && <span class="mark"> · {t("apps.changes")}</span>}
          </dt>
          <dd>{written(of, name) ?? <span class="quiet">{t("apps.absent")}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
