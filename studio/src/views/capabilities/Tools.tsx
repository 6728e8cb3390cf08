// The tools by group: whether the agent has each, why, and the capability that a community skill needs.
// Only the changed row is busy; an error appears on its row.
import { useSignal } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";
import type { AgentEntry, CatalogTool, ToolGroup } from "../../generated/protocol";
import { type CallError, asCallError } from "../../gateway/failure";
import { Banner, Icon, Switch } from "../../components";
import { rowAfter } from "../../components/keys";
import { agentName } from "../../state/agents";
import { t } from "../../words";
import { tools } from "../../words/gateway/tools";
import { rich } from "../../words/rich";
import { chineseFor, gatewayText, callErrorText } from "../../words/gateway-text";
import { isForAll } from "./catalog";
import { changeToolRules } from "./change";
import { type ToolRules, withTool, withoutTool, widerDenials } from "./tool-rules";

type ToolsProps = { agent: AgentEntry; rules: ToolRules; groups: readonly ToolGroup[] };

const labels = {
  fs: "capabilities.groupFs",
  runtime: "capabilities.groupRuntime",
  web: "capabilities.groupWeb",
  memory: "capabilities.groupMemory",
  sessions: "capabilities.groupSessions",
  apps: "capabilities.groupApps",
  ui: "capabilities.groupUi",
  messaging: "capabilities.groupMessaging",
  automation: "capabilities.groupAutomation",
  nodes: "capabilities.groupNodes",
  agents: "capabilities.groupAgents",
  media: "capabilities.groupMedia",
} as const;

const labelOf = (group: ToolGroup): string =>
  Object.hasOwn(labels, group.id) ? t(labels[group.id as keyof typeof labels]) : group.label;

export function Tools({ agent, rules, groups }: ToolsProps) {
  return (
    <section class="panel" aria-labelledby="tools-count" onKeyDown={moveBetweenRows}>
      {groups.map((group) => (
        <div key={group.id} class="toolgroup">
          <h3 id={`group-${group.id}`}>
            {labelOf(group)}
            <code>group:{group.id}</code>
            <span class="n">{t("shared.usableOf", { ready: group.tools.filter((tool) => tool.allowed).length, all: group.tools.length })}</span>
          </h3>
          <ul aria-labelledby={`group-${group.id}`}>
            {group.tools.map((tool) => (
              <ToolRow key={tool.id} {...{ agent, rules, groups, tool }} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function ToolRow({ agent, rules, groups, tool }: ToolsProps & { tool: CatalogTool }) {
  const busy = useSignal(false);
  const error = useSignal<CallError | undefined>(undefined);
  const name = agentName(agent);
  const key = tool.allowed ? undefined : tool.deniedBy;
  const wider = tool.allowed ? [] : widerDenials(rules, tool.id, groups);
  const isOutOfReach = isForAll(key) || wider.length > 0;
  const change = async (allow: boolean) => {
    busy.value = true;
    error.value = undefined;
    const next = (now: ToolRules) => (allow ? withTool(now, tool, groups) : withoutTool(now, tool.id));
    const text = allow ? t("capabilities.gave", { name, tool: tool.id }) : t("capabilities.took", { name, tool: tool.id });
    await changeToolRules(agent.id, next, text, (thrown) => (error.value = asCallError(thrown)));
    busy.value = false;
  };
  return (
    <li class={tool.allowed ? "toolrow" : "toolrow is-off"}>
      <span class="c-switch">
        <Switch
          checked={tool.allowed}
          label={t("capabilities.tool", { name: tool.id })}
          busy={busy.value}
          disabled={isOutOfReach}
          describedBy={`why-${tool.id}`}
          onChange={(allow) => void change(allow)}
        />
      </span>
      <div class="c-tool">
        <b>
          <code>{tool.id}</code>
        </b>
        <p class="desc">{chineseFor(tools, tool.id) ?? gatewayText(tool.description)}</p>
      </div>
      <div class="c-why">
        <p class="why" id={`why-${tool.id}`}>
          {busy.value ? t("shared.saving") : <ToolReason {...{ name, tool, wider }} lackedBy={key} />}
        </p>
        <p class="needs">
          <Icon name={tool.needs ?? "eye"} size="s" />
          <span>{tool.needs ? rich("capabilities.needs", { capability: tool.needs }) : t("capabilities.needsNothing")}</span>
        </p>
      </div>
      {error.value && (
        <Banner kind="bad" alert>
          <b>{t("capabilities.notSaved")}</b> {callErrorText(error.value)}
        </Banner>
      )}
    </li>
  );
}

type WhyProps = { name: string; tool: CatalogTool; lackedBy: string | undefined; wider: readonly string[] };

function ToolReason({ name, tool, lackedBy, wider }: WhyProps) {
  if (tool.allowed) return <>{t("capabilities.hasIt", { name })}</>;
  if (lackedBy && isForAll(lackedBy)) return <>{rich("capabilities.lacksForAll", { key: lackedBy })}</>;
  if (wider[0]) return <>{rich("capabilities.lacksWide", { word: wider[0] })}</>;
  // A reason known only to a newer gateway is shown as it is.
  return <>{lackedBy ? rich("capabilities.lacksIt", { key: lackedBy }) : gatewayText(tool.reason)}</>;
}

/** Up, Down, Home and End on a switch move to the switch of another row. */
function moveBetweenRows(event: TargetedKeyboardEvent<HTMLElement>): void {
  const switches = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-control="switch"]:not(:disabled)')];
  const at = switches.indexOf(event.target as HTMLElement);
  const to = at < 0 ? undefined : rowAfter(event.key, at, switches.length);
  if (to === undefined) return;
  event.preventDefault();
  switches[to]?.focus();
}
