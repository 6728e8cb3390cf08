// The agents that System setup affects, and where install commands run: for the view, and in short for its dialog.
import type { AgentsList } from "../../generated/protocol";
import { GatewayBand } from "../../components";
import { agentName, agentOf } from "../../state/agents";
import { t } from "../../words";
import { rich } from "../../words/rich";

type BandProps = { list: AgentsList; path: string | undefined };

export const defaultName = (list: AgentsList): string => nameOf(list, list.defaultId);

export function nameOf(list: AgentsList, id: string): string {
  const agent = agentOf(list, id);
  return agent ? agentName(agent) : id;
}

export function Band({ list, path }: BandProps) {
  const names = list.agents.map((agent) =>
    agent.id === list.defaultId ? t("setup.isDefault", { name: agentName(agent) }) : agentName(agent),
  );
  return (
    <GatewayBand>
      <dl>
        <dt>{t("setup.agents")}</dt>
        <dd>{names.join(t("setup.comma"))}</dd>
        {path && (
          <>
            <dt>{t("setup.installsTo")}</dt>
            <dd>{rich("setup.workspaceOf", { name: defaultName(list), path })}</dd>
          </>
        )}
      </dl>
    </GatewayBand>
  );
}

/** The sentence of the dialog's band. */
export const dialogBand = (list: AgentsList, path: string) =>
  rich("setup.band", { n: list.agents.length, name: defaultName(list), path });
