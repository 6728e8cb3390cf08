// The navigation of the settings, in two distinct groups: this agent, and all agents.
import { useState } from "preact/hooks";
import type { AgentEntry } from "../../generated/protocol";
import { Avatar, Button, Icon, type IconName, Link } from "../../components";
import { agentName, agents, mainSessionOf } from "../../state/agents";
import { type SettingsRoute, type Tab, agentTabs, gatewayTabs, isGatewayTab, settings } from "../../state/route";
import { hello } from "../../gateway/link";
import { t } from "../../words";
import { useCounts } from "./counts";

const icons: Record<Tab, IconName> = {
  behavior: "file",
  capabilities: "shield",
  skills: "star",
  automations: "scheduling",
  advanced: "gear",
  setup: "wrench",
  apps: "apps",
  logs: "list",
  about: "info",
};

type NavProps = { agent: AgentEntry; route: SettingsRoute; onFollow: () => void };

export function SettingsNav({ agent, route, onFollow }: NavProps) {
  const [choosing, choose] = useState(false);
  const list = agents.value.value;
  const counts = useCounts(agent.id);
  const chat = { view: "chat" as const, session: mainSessionOf(agent.id, list?.mainKey ?? "main") };
  return (
    <>
      <div class="back">
        <Link to={chat} class="btn quiet" onFollow={onFollow}>
          <Icon name="left" />
          {t("shared.back")}
        </Link>
      </div>
      <section class="navgroup agent" data-scope="agent" aria-labelledby="nav-agent">
        <header>
          <Avatar agent={agent} />
          <h2 id="nav-agent" class="grow">
            <span class="k nowrap">{t("shared.thisAgent")}</span>
            <span class="v cut" title={agentName(agent)}>
              {agentName(agent)}
            </span>
          </h2>
          {list && list.agents.length > 1 && (
            <Button
              kind="quiet"
              small
              icon={choosing ? "up" : "down"}
              label={t("shared.chooseAgent")}
              expanded={choosing}
              controls="agent-menu"
              onClick={() => choose(!choosing)}
            />
          )}
        </header>
        {choosing && (
          <ul class="agent-menu" id="agent-menu">
            {list?.agents.map((other) => (
              <li key={other.id}>
                <Link
                  // Choosing an agent in a gateway view leads to the agent's skills.
                  to={settings(isGatewayTab(route.tab) ? "skills" : route.tab, { agentId: other.id })}
                  current={other.id === agent.id && "true"}
                  onFollow={() => {
                    choose(false);
                    onFollow();
                  }}
                >
                  <Avatar agent={other} size="sm" />
                  <span class="cut">{agentName(other)}</span>
                </Link>
              </li>
            ))}
          </ul>
        )}
        <Group tabs={agentTabs} {...{ agent, route, onFollow, counts }} />
      </section>
      <section class="navgroup gw" data-scope="gateway" aria-labelledby="nav-gateway">
        <header>
          <Icon name="gateway" size="l" />
          <h2 id="nav-gateway" class="grow">
            <span class="k">{t("shared.allAgents")}</span>
            <span class="v cut">{t("shared.onThisGateway")}</span>
          </h2>
        </header>
        <Group tabs={gatewayTabs} {...{ agent, route, onFollow, counts }} />
      </section>
      <p class="side-foot">
        {t("shared.foot")}
        <br />
        {t("shared.version", { version: hello.value?.server.version ?? "" })}
      </p>
    </>
  );
}

type GroupProps = NavProps & { tabs: readonly Tab[]; counts: ReturnType<typeof useCounts> };

function Group({ tabs, agent, route, onFollow, counts }: GroupProps) {
  return (
    <ul>
      {tabs.map((tab) => (
        <li key={tab}>
          <Link to={settings(tab, { agentId: agent.id })} current={route.tab === tab && "page"} onFollow={onFollow}>
            <Icon name={icons[tab]} />
            {t(`${tab}.title`)}
            {counts[tab]}
          </Link>
        </li>
      ))}
    </ul>
  );
}
