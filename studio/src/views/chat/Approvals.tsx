// Commands that wait for a person's word, where this gateway asks for one (`exec.approval.resolve`); nothing otherwise.
// Promises: the exact command is shown; a card never takes the focus, so that no key meant for the composer allows anything.
import { useSignal } from "@preact/signals";
import type { AgentEntry } from "../../generated/protocol";
import { call, knows } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";
import { Button, Command, Icon } from "../../parts";
import { agentName } from "../../state/agents";
import { type Approval, approvals, forget } from "../../state/chat/approvals";
import { everySecond } from "../../state/now";
import { t } from "../../words";
import { told } from "../../words/told";

type Decision = "allow-once" | "allow-always" | "deny";
type Resolve = (method: string, params: { id: string; decision: Decision }) => Promise<unknown>;

export function Approvals({ agent, sessionKey }: { agent: AgentEntry; sessionKey: string }) {
  const waiting = approvals.value.filter((one) => one.sessionKey === sessionKey);
  if (waiting.length === 0 || !knows("exec.approval.resolve" as Parameters<typeof knows>[0])) return null;
  return (
    <div class="approvals" data-region="approval" role="region" aria-label={t("chat.waitingApproval")} tabIndex={-1}>
      {waiting.map((one) => (
        <Card key={one.id} approval={one} name={agentName(agent)} />
      ))}
    </div>
  );
}

function Card({ approval, name }: { approval: Approval; name: string }) {
  const busy = useSignal<Decision | undefined>(undefined);
  const problem = useSignal<CallError | undefined>(undefined);
  const left = Math.max(0, Math.ceil((approval.expiresAtMs - everySecond.value) / 1000));
  const decide = async (decision: Decision) => {
    busy.value = decision;
    try {
      await (call as unknown as Resolve)("exec.approval.resolve", { id: approval.id, decision });
      forget(approval.id);
    } catch (thrown) {
      const error = asCallError(thrown);
      // Somebody else has answered, or its time is over.
      if (/unknown/i.test(error.message)) return forget(approval.id);
      problem.value = error;
      busy.value = undefined;
    }
  };
  const button = (decision: Decision, text: string, kind: "primary" | "plain" | "danger") => (
    <Button kind={kind} apart={decision === "deny"} busy={busy.value === decision} onClick={() => void decide(decision)}>
      {text}
    </Button>
  );
  return (
    <section class="approval" aria-labelledby={`ap-${approval.id}`}>
      <header>
        <Icon name="shield" />
        <h2 id={`ap-${approval.id}`}>{t("chat.asksToRun", { name })}</h2>
        <span class="sr" role="alert">
          {t("chat.asksToRun", { name })}: {approval.command}
        </span>
        <time>{t("chat.expiresIn", { time: `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` })}</time>
      </header>
      <div class="in">
        <Command text={approval.command} label={t("chat.copyCommand")} />
        <dl class="facts">
          {approval.cwd && <dt>{t("chat.runsIn")}</dt>}
          {approval.cwd && (
            <dd>
              <code>{approval.cwd}</code>
            </dd>
          )}
          <dt>{t("chat.allowAlways")}</dt>
          <dd>{t("chat.alwaysMeans", { name })}</dd>
        </dl>
        {problem.value && (
          <p class="meta bad" role="alert">
            {t("chat.approvalFailed")} {told(problem.value)}
          </p>
        )}
        <div class="btns">
          {button("allow-once", t("chat.allowOnce"), "primary")}
          {button("allow-always", t("chat.allowAlways"), "plain")}
          {button("deny", t("chat.deny"), "danger")}
        </div>
      </div>
    </section>
  );
}
