// Adds or edits an app, or changes its policy; the proposed entry stands beside the current one.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { AppList, AppMode, RegisteredApp } from "../../generated/protocol";
import { Button, Dialog, Segmented } from "../../components";
import type { Resource } from "../../state/resource";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { AgentsField } from "./AgentsField";
import { effectOf } from "./effect";
import { Paths } from "./Paths";
import { EntryComparison } from "./EntryComparison";
import { SaveProblem } from "./SaveProblem";
import { type EntryFieldValues, type MissingField, changes, currentOf, draftOf, missingFields, newFields, proposedOf, findByName } from "./proposal";
import { useSaving } from "./entry-saving";

export type EntryKind = "add" | "edit" | "policy";

type EntryDialogProps = {
  kind: EntryKind;
  list: Resource<AppList>;
  /** Undefined for a new app. */
  app: RegisteredApp | undefined;
  onSaved: (name: string) => void;
  /** A registered app already has the new name. */
  onEditInstead: (app: RegisteredApp) => void;
  onClose: () => void;
};

export function EntryDialog({ kind, list, app, onSaved, onEditInstead, onClose }: EntryDialogProps) {
  const [name, setName] = useState(app?.name ?? "");
  const [draft, setDraft] = useState<EntryFieldValues>(app ? draftOf(currentOf(app)) : newFields);
  const saving = useSaving(list, kind === "add" ? name : (app?.name ?? ""));
  const put = (more: Partial<EntryFieldValues>) => setDraft({ ...draft, ...more });

  const taken = kind === "add" ? findByName(list.value.value?.apps ?? [], name) : undefined;
  const current = kind !== "add" && saving.app ? currentOf(saving.app) : undefined;
  const proposed = proposedOf(draft);
  const missing = missingFields(name, proposed);
  const isReady = missing.length === 0 && !taken && changes(current, proposed).size > 0;
  const save = async () => {
    if (isReady && (await saving.save(proposed))) onSaved(name.trim());
  };
  return (
    <Dialog
      scope="gateway"
      narrow
      title={titleOf(kind, app?.name ?? "")}
      lead={t("apps.dialogLead")}
      band={rich("apps.dialogBand")}
      label={t("apps.dialogLabel")}
      onClose={onClose}
      footer={
        <>
          <span class="grow">{t("apps.savedOnlyIf")}</span>
          <Button onClick={onClose}>{t("shared.cancel")}</Button>
          <Button kind="primary" busy={saving.busy} disabled={!isReady} onClick={() => void save()}>
            {t("apps.save")}
          </Button>
        </>
      }
    >
      <SaveProblem saving={saving} />
      {kind === "add" && (
        <Section title={t("apps.name")}>
          <input
            class="input"
            aria-label={t("apps.name")}
            value={name}
            maxLength={256}
            autocomplete="off"
            data-first
            onInput={(event) => setName(event.currentTarget.value)}
          />
          {taken && (
            <p class="warned" role="alert">
              {t("apps.nameTaken", { name: taken.name })}{" "}
              <Button kind="link" onClick={() => onEditInstead(taken)}>
                {t("apps.editInstead", { name: taken.name })}
              </Button>
            </p>
          )}
        </Section>
      )}
      {kind !== "policy" && (
        <Section title={t("apps.paths")}>
          <Paths draft={draft} first={kind === "edit"} onChange={put} />
        </Section>
      )}
      <Section title={t("apps.policy")}>
        <Segmented<AppMode>
          label={t("apps.mode")}
          value={draft.mode}
          onChange={(mode) => put({ mode })}
          choices={[
            { value: "full", text: t("apps.anyAgent"), more: <code>full</code> },
            { value: "allowlist", text: t("apps.listed"), more: <code>allowlist</code> },
            { value: "off", text: t("apps.nobody"), more: <code>off</code> },
          ]}
        />
        {draft.mode === "allowlist" && <AgentsField value={draft.allowed_agents} onChange={(agents) => put({ allowed_agents: agents })} />}
      </Section>
      <Section title={t("apps.entry")}>
        <EntryComparison current={current} proposed={proposed} />
      </Section>
      <Section title={t("apps.effect")}>
        <p role="status">{missing.length > 0 ? missing.map(missingFieldText).join(" ") : effectOf(name.trim(), current, proposed)}</p>
      </Section>
    </Dialog>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="sect">
      <h3>{title}</h3>
      <div>{children}</div>
    </div>
  );
}

function titleOf(kind: EntryKind, name: string): string {
  if (kind === "add") return t("apps.addTitle");
  return kind === "edit" ? t("apps.editTitle", { name }) : t("apps.policyTitle", { name });
}

function missingFieldText(lack: MissingField): string {
  if (lack === "name") return t("apps.lackName");
  return lack === "launch_path" ? t("apps.lackPath") : t("apps.lackAgents");
}
