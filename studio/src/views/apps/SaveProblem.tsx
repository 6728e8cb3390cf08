// Why an entry was not saved, in the dialog that wanted to.
import { textAt } from "../../gateway/failure";
import { Banner } from "../../parts";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { said, told } from "../../words/told";
import type { Saving } from "./saving";

export function SaveProblem({ saving }: { saving: Saving }) {
  if (saving.wasStale) {
    return (
      <Banner kind="warn" alert>
        {rich("apps.stale")}
      </Banner>
    );
  }
  if (!saving.error) return null;
  const hint = textAt(saving.error.details, "hint");
  return (
    <Banner kind="bad" alert>
      <b>{saving.error.isLost ? t("apps.unknownOutcome") : t("apps.notSaved")}</b> {told(saving.error)}
      {hint && <> {said(hint)}</>}
    </Banner>
  );
}
