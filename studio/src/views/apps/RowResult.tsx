// What came of a launch or a stop, under its row: what was done, or why not, and what would allow it.
import type { ComponentChildren } from "preact";
import type { AppActed, RegisteredApp } from "../../generated/protocol";
import { type CallError, textAt } from "../../gateway/failure";
import { Button, Icon } from "../../parts";
import { t } from "../../words";
import { refusedBy } from "../../words/gateway/apps";
import { rich } from "../../words/rich";
import { chineseOf, said, sentence, told, toldAs } from "../../words/told";
import type { Came } from "./acts";
import { nameOf } from "./Policy";

type ResultProps = { app: RegisteredApp; came: Came; onPolicy: () => void; onDismiss: () => void };

export function RowResult({ app, came, onPolicy, onDismiss }: ResultProps) {
  const isBad = "error" in came || came.acted.outcome === "failed" || came.acted.outcome === "no_stop_data";
  return (
    <div class={isBad ? "came bad" : "came"} role={isBad ? "alert" : "status"}>
      <Icon name={isBad ? "warn" : "ok"} />
      <div class="grow">
        {"error" in came ? <NotDone app={app} came={came} error={came.error} /> : <Done app={app} acted={came.acted} />}
      </div>
      {"error" in came && came.error.reason === "denied" && (
        <Button small onClick={onPolicy}>
          {t("apps.changePolicy")}
        </Button>
      )}
      <Button kind="quiet" small icon="x" label={t("apps.dismissResult", { name: app.name })} onClick={onDismiss} />
    </div>
  );
}

function Done({ app, acted }: { app: RegisteredApp; acted: AppActed }) {
  return (
    <>
      <p>{outcome(app, acted)}</p>
      {acted.notes.length > 0 && (
        <pre class="notes" lang="en">
          {acted.notes.join("\n")}
        </pre>
      )}
      {acted.hint && <p class="muted">{said(acted.hint)}</p>}
    </>
  );
}

function outcome(app: RegisteredApp, { outcome, pids, error, code }: AppActed): ComponentChildren {
  const shown = pids.join(", ");
  switch (outcome) {
    case "started":
      return t("apps.started", { pids: shown });
    case "requested": {
      const by = app.process_name || app.runtime_exe;
      return by ? t("apps.requestedUnseen", { by }) : t("apps.requested");
    }
    case "already_running":
      return t("apps.alreadyRunning", { pids: shown });
    case "stopped":
      return t("apps.stopped", { pids: shown });
    case "not_running":
      return t("apps.notRunningNow");
    case "no_stop_data":
      return t("apps.noStopData");
    default:
      return rich("apps.actFailed", { why: told({ message: error ?? "", code: code ?? "failed" }) });
  }
}

function NotDone({ app, came, error }: { app: RegisteredApp; came: Came; error: CallError }) {
  const hint = textAt(error.details, "hint");
  if (error.reason !== "denied") {
    return (
      <>
        <p>
          <b>{error.isLost ? t("apps.unknownOutcome") : t("apps.notDone")}</b> {told(error)}
        </p>
        {hint && <p class="muted">{said(hint)}</p>}
      </>
    );
  }
  return (
    <>
      <p>
        <b>{t(came.act === "launch" ? "apps.refusedLaunch" : "apps.refusedStop", { agent: nameOf(came.agentId), name: app.name })}</b>{" "}
        {toldAs(chineseOf(app.mode, (mode) => refusedBy(mode, nameOf(came.agentId), app.name)), sentence(error.message))}
      </p>
      <p class="muted">{rich("apps.refusedPolicy", { policy: policyText(app) })}</p>
      {hint && <p class="muted">{rich("apps.refusedAllow", { hint: said(hint) })}</p>}
    </>
  );
}

function policyText(app: RegisteredApp): string {
  if (app.mode === "allowlist") return `allowlist: ${app.allowed_agents.join(", ")}`;
  return app.mode ?? t("apps.noMode");
}
