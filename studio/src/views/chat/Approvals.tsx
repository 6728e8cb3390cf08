// Pending approvals as cards above the composer.
// A card shows the whole action with its reason, and never takes focus: no key meant for the composer can approve.
import { useSignal } from "@preact/signals";
import type { AgentEntry, Approval, ApprovalDecision } from "../../generated/protocol";
import { type CallError, asCallError } from "../../gateway/failure";
import { Button, Command, Icon } from "../../components";
import { agentName } from "../../state/agents";
import { approvals, resolveApproval } from "../../state/chat/approvals";
import { everySecond } from "../../state/now";
import { t } from "../../words";
import { callErrorText } from "../../words/gateway-text";

export function Approvals({ agent, sessionKey }: { agent: AgentEntry; sessionKey: string }) {
  const waiting = approvals.value.filter((one) => one.request.sessionKey === sessionKey);
  if (waiting.length === 0) return null;
  return (
    <div class="approvals" data-region="approval" role="region" aria-label={t("chat.waitingApproval")} tabIndex={-1}>
      {waiting.map((one) => (
        <Card key={one.id} approval={one} name={agentName(agent)} />
      ))}
    </div>
  );
}

const CHOICES = [
  { decision: "allow-once", word: "chat.allowOnce", kind: "primary" },
  { decision: "allow-always", word: "chat.allowAlways", kind: "plain" },
  { decision: "deny", word: "chat.deny", kind: "danger" },
] as const;

function Card({ approval, name }: { approval: Approval; name: string }) {
  const busy = useSignal<ApprovalDecision | undefined>(undefined);
  const problem = useSignal<CallError | undefined>(undefined);
  const { command, cwd, tool, reasons, allowedDecisions } = approval.request;
  const title = tool === "exec" ? t("chat.asksToRun", { name }) : t("chat.asksToUse", { name, tool });
  const decide = async (decision: ApprovalDecision) => {
    busy.value = decision;
    problem.value = undefined;
    try {
      await resolveApproval(approval, decision);
    } catch (thrown) {
      problem.value = asCallError(thrown);
      busy.value = undefined;
    }
  };
  return (
    <section class="approval" aria-labelledby={`ap-${approval.id}`}>
      <header>
        <Icon name="shield" />
        <h2 id={`ap-${approval.id}`}>{title}</h2>
        <span class="sr" role="alert">
          {title}: {command}
        </span>
        <time>{t("chat.expiresIn", { time: clock(approval.expiresAtMs - everySecond.value) })}</time>
      </header>
      <div class="in">
        <Command text={command} label={t("chat.copyCommand")} />
        <dl class="facts">
          {reasons.length > 0 && (
            <>
              <dt>{t("chat.askedBecause")}</dt>
              <dd lang="en">{reasons.join("; ")}.</dd>
            </>
          )}
          <dt>{t("chat.runsIn")}</dt>
          <dd>
            <code>{cwd}</code>
          </dd>
          {allowedDecisions.includes("allow-always") && (
            <>
              <dt>{t("chat.allowAlways")}</dt>
              <dd>{t("chat.alwaysMeans", { name })}</dd>
            </>
          )}
        </dl>
        {problem.value && (
          <p class="meta bad" role="alert">
            {t("chat.approvalFailed")} {callErrorText(problem.value)}
          </p>
        )}
        <div class="btns">
          {CHOICES.filter(({ decision }) => allowedDecisions.includes(decision)).map(({ decision, word, kind }) => (
            <Button
              key={decision}
              kind={kind}
              apart={decision === "deny"}
              busy={busy.value === decision}
              disabled={busy.value !== undefined && busy.value !== decision}
              onClick={() => void decide(decision)}
            >
              {t(word)}
            </Button>
          ))}
        </div>
      </div>
    </section>
  );
}

/** The remaining time, in minutes and seconds. */
function clock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
