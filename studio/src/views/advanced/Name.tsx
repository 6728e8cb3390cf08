// The agent's name in the configuration. A name in its identity has precedence, and this says so.
import { useId } from "preact/hooks";
import type { AgentEntry } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { Button, ErrorState } from "../../components";
import { changeEntry } from "../../state/agent-entry";
import { agentName } from "../../state/agents";
import { showToast } from "../../state/toast";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { useChange } from "./use-change";
import { useFieldText } from "./use-field-text";

const LONGEST_NAME = 200;

export function Name({ agent }: { agent: AgentEntry }) {
  const id = useId();
  const before = agent.name ?? "";
  const { text, type } = useFieldText(before);
  const change = useChange();
  const newName = text.trim();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!newName || newName === before) return;
    if (!(await change.run(() => call("agents.update", { agentId: agent.id, name: newName })))) return;
    const undo = () => change.run(() => changeEntry(agent.id, () => ({ name: agent.name })));
    showToast({ text: t("advanced.renamed", { name: newName }), undo });
  };
  const isHidden = agent.identity?.name !== undefined && agent.identity.name !== before;
  return (
    <section class="panel" aria-labelledby={`${id}h`}>
      <header>
        <h2 id={`${id}h`}>{t("advanced.name")}</h2>
      </header>
      <div class="in">
        <form class="lineform" onSubmit={(event) => void submit(event)}>
          <div class="field">
            <label for={id}>{t("advanced.nameField")}</label>
            <input
              id={id}
              class="input"
              value={text}
              placeholder={agent.id}
              maxLength={LONGEST_NAME}
              autocomplete="off"
              onInput={(event) => type(event.currentTarget.value)}
            />
          </div>
          <Button type="submit" busy={change.busy} disabled={!newName || newName === before}>
            {t("advanced.save")}
          </Button>
        </form>
        {isHidden && <p>{rich("advanced.nameHidden", { shown: agentName(agent) })}</p>}
        <p>{rich("advanced.nameId", { id: agent.id })}</p>
        {change.error && <ErrorState error={change.error} title={t("advanced.notSaved")} />}
      </div>
    </section>
  );
}
