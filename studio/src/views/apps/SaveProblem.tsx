// Why an entry was not saved, inside its dialog.
import { textAt } from "../../gateway/failure";
import { Banner } from "../../components";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { gatewayText, callErrorText } from "../../words/gateway-text";
import type { EntrySaving } from "./entry-saving";

export function SaveProblem({ saving }: { saving: EntrySaving }) {
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
      <b>{saving.error.isLost ? t("apps.unknownOutcome") : t("apps.notSaved")}</b> {callErrorText(saving.error)}
      {hint && <> {gatewayText(hint)}</>}
    </Banner>
  );
}
