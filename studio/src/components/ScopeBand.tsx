// The band at the top of a view: affects one agent (light, its avatar) or all agents (dark, servers).
// Dialogs that affect all agents repeat it.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { AgentEntry } from "../generated/protocol";
import { agentName } from "../state/agents";
import { rich } from "../words/rich";
import { t } from "../words";
import { Avatar } from "./Avatar";
import { Icon } from "./Icon";

/** `children` defaults to "These settings apply to <name> only." */
export function AgentBand({ agent, children }: { agent: AgentEntry; children?: ComponentChildren }) {
  return (
    <div class="scope scope-agent">
      <Avatar agent={agent} />
      <p>{children ?? rich("shared.agentBand", { name: agentName(agent) })}</p>
    </div>
  );
}

/** `title` defaults to "Changes here affect every agent on this gateway". */
export function GatewayBand({ title, children }: { title?: string; children?: ComponentChildren }) {
  const id = useId();
  return (
    <section class="scope scope-gateway" aria-labelledby={id}>
      <span class="badge" aria-hidden="true">
        <Icon name="gateway" size="l" />
      </span>
      <div class="grow">
        <p class="title" id={id}>
          <strong>{title ?? t("shared.gatewayBand")}</strong>
        </p>
        {children}
      </div>
    </section>
  );
}

/** The short form, for dialogs. */
export function DialogBand({ id, children }: { id?: string; children?: ComponentChildren }) {
  return (
    <div class="scope scope-gateway">
      <span class="badge" aria-hidden="true">
        <Icon name="gateway" size="l" />
      </span>
      <p class="grow" id={id}>
        {children ?? rich("shared.dialogBand")}
      </p>
    </div>
  );
}
