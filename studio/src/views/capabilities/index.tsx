// The Capabilities view, of one agent: tools, own rules, effects of community skills, and rules for commands.
import { call } from "../../gateway/calls";
import { AgentBand, Empty, Load } from "../../components";
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
import { toolRulesOf } from "./tool-rules";
import { Profile } from "./Profile";
import { Rules } from "./Rules";
import { Tools } from "./Tools";

export default function Capabilities({ agent }: ViewProps) {
  const catalog = useResource(() => call("tools.catalog", { agentId: agent.id }), { on: { "config.changed": true } }, [agent.id]);
  const settings = (config.value.value?.config ?? {}) as Config;
  const rules = toolRulesOf(entryOf(settings, agent.id)["tools"]);
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
                <Profile agent={agent} rules={rules} profiles={answer.profiles} forAll={toolRulesOf(settings["tools"]).profile} groups={groups} />
                <Tools agent={agent} rules={rules} groups={groups} />
                <Rules agent={agent} rules={rules} />
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
