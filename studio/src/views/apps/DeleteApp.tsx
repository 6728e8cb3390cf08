// Asks before an app is taken out of the registry: what goes, what stays, and the entry itself.
import type { AppDeleted, AppList, RegisteredApp } from "../../generated/protocol";
import { Confirm } from "../../parts";
import type { Resource } from "../../state/resource";
import { t } from "../../words";
import { Values } from "./Proposed";
import { SaveProblem } from "./SaveProblem";
import { currentOf } from "./proposal";
import { useSaving } from "./saving";

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
        {saving.app ? <Values of={currentOf(saving.app)} /> : <p class="none">{t("apps.currentNone")}</p>}
      </div>
    </Confirm>
  );
}
