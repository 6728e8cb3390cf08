// Deletes the agent from the configuration, after its name was typed.
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { AgentEntry } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { Button, ErrorState, Icon } from "../../components";
import { agentName, agents } from "../../state/agents";
import { useResource } from "../../state/resource";
import { go, settings } from "../../state/route";
import { showToast } from "../../state/toast";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { useChange } from "./use-change";

export function Removal({ agent }: { agent: AgentEntry }) {
  const isDefault = agents.value.value?.defaultId === agent.id;
  return (
    <section class="removal" aria-labelledby="removal">
      <h2 id="removal">
        <Icon name="warn" />
        {t("advanced.danger")}
      </h2>
      {isDefault ? <p>{rich("advanced.removalDefault", { name: agentName(agent) })}</p> : <RemovalForm agent={agent} />}
    </section>
  );
}

function RemovalForm({ agent }: { agent: AgentEntry }) {
  const id = useId();
  const name = agentName(agent);
  const typed = useSignal("");
  const change = useChange();
  const sessions = useResource(() => call("sessions.list", { agentId: agent.id, limit: 1 }), {}, [agent.id]);
  const kept = sessions.value.value?.totalCount;
  const isTyped = typed.value.trim() === name;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!isTyped || !(await change.run(() => call("agents.delete", { agentId: agent.id })))) return;
    // The agent has no page any more: show another one before the list reloads.
    go(settings("advanced", { agentId: agents.value.peek()?.defaultId }), { replace: true });
    await agents.reload();
    showToast({ text: t("advanced.removed", { name }), detail: agent.workspace });
  };
  return (
    <>
      <ul>
        <li>
          <Icon name="trash" />
          <span>{t("advanced.removalGone")}</span>
        </li>
        <li>
          <Icon name="check" />
          <span>{rich("advanced.removalStays", { path: <code>{agent.workspace}</code> })}</span>
        </li>
        {kept !== undefined && (
          <li>
            <Icon name="sessions" />
            <span>{t("advanced.removalSessions", { n: kept })}</span>
          </li>
        )}
      </ul>
      <form class="lineform" onSubmit={(event) => void submit(event)}>
        <div class="field">
          <label for={id}>{t("advanced.removalType", { name })}</label>
          <input id={id} class="input" value={typed.value} autocomplete="off" spellcheck={false} onInput={(event) => (typed.value = event.currentTarget.value)} />
        </div>
        <Button type="submit" kind="danger" icon="trash" busy={change.busy} disabled={!isTyped}>
          {t("advanced.removal", { name })}
        </Button>
      </form>
      {change.error && <ErrorState error={change.error} title={t("advanced.removalNot", { name })} />}
    </>
  );
}
