// Who may launch an app, as a chip, with problems of its entry.
import type { ComponentChildren } from "preact";
import type { AppFault, RegisteredApp } from "../../generated/protocol";
import { Chip } from "../../components";
import { agentOf, agentName, agents } from "../../state/agents";
import { listed, t } from "../../words";
import { appFault } from "../../words/gateway/apps";
import { chineseForValue, gatewayText } from "../../words/gateway-text";

export function Policy({ app }: { app: RegisteredApp }) {
  return (
    <>
      <PolicyChip app={app} />
      {app.reasons.map((reason, index) => (
        <span key={reason} class="hint">
          {reasonText(reason, app.faults?.[index])}
        </span>
      ))}
    </>
  );
}

export function reasonText(reason: string, fault: AppFault | undefined): ComponentChildren {
  return chineseForValue(fault, appFault) ?? gatewayText(reason);
}

function PolicyChip({ app }: { app: RegisteredApp }) {
  if (app.group === "malformed") {
    return (
      <Chip kind="block" icon="warn">
        {t("apps.malformed")}
      </Chip>
    );
  }
  if (app.group === "incomplete") {
    return (
      <Chip kind="setup" icon="warn">
        {t("apps.incomplete")}
      </Chip>
    );
  }
  if (app.mode === "full") {
    return (
      <Chip kind="accent" icon="users">
        {t("apps.anyAgent")}
      </Chip>
    );
  }
  if (app.mode === "off") {
    return (
      <Chip kind="unsup" icon="ban">
        {t("apps.off")}
      </Chip>
    );
  }
  const names = app.allowed_agents.map(nameOf);
  return (
    <span title={listed(names)}>
      <Chip icon="user">{names.length === 1 ? names[0] : t("apps.agents", { n: names.length })}</Chip>
      {names.length > 1 && <span class="hint">{listed(names)}</span>}
    </span>
  );
}

/** The agent's name, or its id if it is unknown here. */
export function nameOf(agentId: string): string {
  const list = agents.value.value;
  const agent = list && agentOf(list, agentId);
  return agent ? agentName(agent) : agentId;
}
