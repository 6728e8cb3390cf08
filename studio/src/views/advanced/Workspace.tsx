// The agent's workspace folder.
import type { AgentEntry } from "../../generated/protocol";
import { CopyButton } from "../../components";
import { agentName } from "../../state/agents";
import { t } from "../../words";
import { rich } from "../../words/rich";

export function Workspace({ agent }: { agent: AgentEntry }) {
  return (
    <section class="panel" aria-labelledby="workspace">
      <header>
        <h2 id="workspace">{t("advanced.workspace")}</h2>
      </header>
      <div class="in">
        <div class="pathline">
          <code>{agent.workspace}</code>
          <CopyButton text={agent.workspace} label={t("advanced.copyPath")} />
        </div>
        <p>{rich("advanced.workspaceWhat", { name: agentName(agent) })}</p>
      </div>
    </section>
  );
}
