// The view Capabilities, of one agent: its tools and why it has them, its own rules, what community skills change, and
// the rules for commands.
import { call } from "../../gateway/calls";
import { AgentBand, Empty, Load } from "../../parts";
import { agentName } from "../../state/agents";
import { entryOf } from "../../state/agent-entry";
import { type Config, config } from "../../state/config";
import { useResource } from "../../state/resource";
import { t } from "../../words";
import { rich } from "../../words/rich";
import "../../styles/panel.css";
import "../../styles/capabilities.css";
import type { ViewProps } from "..";
import { groupsOf } from "./catalog";
import { Commands } from "./Commands";
import { Community } from "./Community";
import { offerOf } from "./offer";
import { Profile } from "./Profile";
import { Rules } from "./Rules";
import { Tools } from "./Tools";

export default function Capabilities({ agent }: ViewProps) {
  const catalog = useResource(() => call("tools.catalog", { agentId: agent.id }), { on: { "config.changed": true } }, [agent.id]);
  const settings = (config.value.value?.config ?? {}) as Config;
  const offer = offerOf(entryOf(settings, agent.id)["tools"]);
  const name = agentName(agent);
  return (
    <>
      <AgentBand agent={agent} />
      <div class="page">
        <header class="page-head">
          <div class="grow">
            <h1>{t("capabilities.title")}</h1>
            <p>{t("capabilities.lead", { name })}</p>
          </div>
        </header>
        <Load from={catalog}>
          {(answer) => {
            const groups = groupsOf(answer);
            if (groups.length === 0) {
              return (
                <section class="panel">
                  <Empty icon="shield" title={t("capabilities.noTools")}>
                    {rich("capabilities.noToolsWhy")}
                  </Empty>
                </section>
              );
            }
            return (
              <>
                <Profile agent={agent} offer={offer} profiles={answer.profiles} forAll={offerOf(settings["tools"]).profile} groups={groups} />
                <Tools agent={agent} offer={offer} groups={groups} />
                <Rules agent={agent} offer={offer} />
              </>
            );
          }}
        </Load>
        <Community />
        <Commands agent={agent} config={settings} />
      </div>
    </>
  );
}
