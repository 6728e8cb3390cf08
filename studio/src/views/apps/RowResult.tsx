// The result of a launch or stop, under its row: what happened, or why not, and what would allow it.
import type { ComponentChildren } from "preact";
import type { AppRunReport, RegisteredApp } from "../../generated/protocol";
import { type CallError, textAt } from "../../gateway/failure";
import { Button, Icon } from "../../components";
import { t } from "../../words";
import { appRefusal } from "../../words/gateway/apps";
import { rich } from "../../words/rich";
import { chineseForValue, gatewayText, asSentence, callErrorText, withChinese } from "../../words/gateway-text";
import type { ActionResult } from "./actions";
import { nameOf } from "./Policy";

type ResultProps = { app: RegisteredApp; result: ActionResult; onPolicy: () => void; onDismiss: () => void };

export function RowResult({ app, result, onPolicy, onDismiss }: ResultProps) {
  const isBad = "error" in result || result.report.outcome === "failed" || result.report.outcome === "no_stop_data";
  return (
    <div class={isBad ? "action-result bad" : "action-result"} role={isBad ? "alert" : "status"}>
      <Icon name={isBad ? "warn" : "ok"} />
      <div class="grow">
        {"error" in result ? <ActionFailed app={app} result={result} error={result.error} /> : <ActionDone app={app} report={result.report} />}
      </div>
      {"error" in result && result.error.reason === "denied" && (
        <Button small onClick={onPolicy}>
          {t("apps.changePolicy")}
        </Button>
      )}
      <Button kind="quiet" small icon="x" label={t("apps.dismissResult", { name: app.name })} onClick={onDismiss} />
    </div>
  );
}

function ActionDone({ app, report }: { app: RegisteredApp; report: AppRunReport }) {
  return (
    <>
      <p>{outcomeText(app, report)}</p>
      {report.notes.length > 0 && (
        <pre class="notes" lang="en">
          {report.notes.join("\n")}
        </pre>
      )}
      {report.hint && <p class="muted">{gatewayText(report.hint)}</p>}
    </>
  );
}

function outcomeText(app: RegisteredApp, { outcome, pids, error, code }: AppRunReport): ComponentChildren {
  const pidList = pids.join(", ");
  switch (outcome) {
    case "started":
      return t("apps.started", { pids: pidList });
    case "requested": {
      const by = app.process_name || app.runtime_exe;
      return by ? t("apps.requestedUnseen", { by }) : t("apps.requested");
    }
    case "already_running":
      return t("apps.alreadyRunning", { pids: pidList });
    case "stopped":
      return t("apps.stopped", { pids: pidList });
    case "not_running":
      return t("apps.notRunningNow");
    case "no_stop_data":
      return t("apps.noStopData");
    default:
      return rich("apps.actFailed", { why: callErrorText({ message: error ?? "", code: code ?? "failed" }) });
  }
}

function ActionFailed({ app, result, error }: { app: RegisteredApp; result: ActionResult; error: CallError }) {
  const hint = textAt(error.details, "hint");
  if (error.reason !== "denied") {
    return (
      <>
        <p>
          <b>{error.isLost ? t("apps.unknownOutcome") : t("apps.notDone")}</b> {callErrorText(error)}
        </p>
        {hint && <p class="muted">{gatewayText(hint)}</p>}
      </>
    );
  }
  return (
    <>
      <p>
        <b>{t(result.action === "launch" ? "apps.refusedLaunch" : "apps.refusedStop", { agent: nameOf(result.agentId), name: app.name })}</b>{" "}
        {withChinese(chineseForValue(app.mode, (mode) => appRefusal(mode, nameOf(result.agentId), app.name)), asSentence(error.message))}
      </p>
      <p class="muted">{rich("apps.refusedPolicy", { policy: policyText(app) })}</p>
      {hint && <p class="muted">{rich("apps.refusedAllow", { hint: gatewayText(hint) })}</p>}
    </>
  );
}

function policyText(app: RegisteredApp): string {
  if (app.mode === "allowlist") return `allowlist: ${app.allowed_agents.join(", ")}`;
  return app.mode ?? t("apps.noMode");
}
