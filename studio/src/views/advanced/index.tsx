// The Advanced view, of one agent: name, identity, model, workspace, sessions, removal.
import { AgentBand } from "../../components";
import { entryOf } from "../../state/agent-entry";
import { agentName } from "../../state/agents";
import { type Config, config } from "../../state/config";
import { t } from "../../words";
import "../../styles/panel.css";
import "../../styles/advanced.css";
import type { ViewProps } from "..";
import { Identity } from "./Identity";
import { Model } from "./Model";
import { Name } from "./Name";
import { Removal } from "./Removal";
import { Sessions } from "./Sessions";
import { Workspace } from "./Workspace";

export default function Advanced({ agent }: ViewProps) {
  const all = (config.value.value?.config ?? {}) as Config;
  const entry = entryOf(all, agent.id);
  return (
    <>
      <AgentBand agent={agent} />
      <div class="page">
        <header class="page-head">
          <div class="grow">
            <h1>{t("advanced.title")}</h1>
            <p>{t("advanced.lead", { name: agentName(agent) })}</p>
          </div>
        </header>
        <Name agent={agent} />
        <Identity agent={agent} entry={entry} />
        <Model agent={agent} entry={entry} config={all} />
        <Workspace agent={agent} />
        <Sessions agent={agent} />
        <Removal agent={agent} />
      </div>
    </>
  );
}
