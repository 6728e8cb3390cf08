// Confirms the removal of an app from the registry, with its entry.
import type { AppDeleted, AppList, RegisteredApp } from "../../generated/protocol";
import { Confirm } from "../../components";
import type { Resource } from "../../state/resource";
import { t } from "../../words";
import { EntryFields } from "./EntryComparison";
import { SaveProblem } from "./SaveProblem";
import { currentOf } from "./proposal";
import { useSaving } from "./entry-saving";

type DeleteProps = { list: Resource<AppList>; app: RegisteredApp; onDeleted: (deleted: AppDeleted) => void; onClose: () => void };

export function DeleteApp({ list, app, onDeleted, onClose }: DeleteProps) {
  const saving = useSaving(list, app.name);
  const remove = async () => {
    const deleted = await saving.remove();
    if (deleted) onDeleted(deleted);
  };
  return (
    <Confirm
      scope="gateway"
      danger
      title={t("apps.deleteTitle", { name: app.name })}
      effects={[
        { icon: "trash", text: t("apps.deleteEntry") },
        { icon: "users", text: t("apps.deleteAgents") },
        { icon: "info", text: app.running ? t("apps.deleteRuns") : t("apps.deleteFiles") },
      ]}
      yes={t("apps.deleteYes", { name: app.name })}
      busy={saving.busy}
      onYes={() => void remove()}
      onNo={onClose}
    >
      <SaveProblem saving={saving} />
      <div class="entry" role="group" aria-label={t("apps.currentEntry")}>
        {saving.app ? <EntryFields of={currentOf(saving.app)} /> : <p class="none">{t("apps.currentNone")}</p>}
      </div>
    </Confirm>
  );
}
