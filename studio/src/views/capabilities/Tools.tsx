// The tools by group: whether the agent has each, why, and what a community skill needs for it.
// Promises: only the row that is being changed is busy; what fails is shown on its row.
import { useSignal } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";
import type { AgentEntry, CatalogTool, ToolGroup } from "../../generated/protocol";
import { type CallError, asCallError } from "../../gateway/failure";
import { Banner, Icon, Switch } from "../../parts";
import { rowAfter } from "../../parts/keys";
import { agentName } from "../../state/agents";
import { t } from "../../words";
import { tools } from "../../words/gateway/tools";
import { rich } from "../../words/rich";
import { chineseFor, said, told } from "../../words/told";
import { isForAll } from "./catalog";
import { changeOffer } from "./change";
import { type Offer, given, taken, widerDenials } from "./offer";

type ToolsProps = { agent: AgentEntry; offer: Offer; groups: readonly ToolGroup[] };

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

export function Tools({ agent, offer, groups }: ToolsProps) {
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
              <ToolRow key={tool.id} {...{ agent, offer, groups, tool }} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function ToolRow({ agent, offer, groups, tool }: ToolsProps & { tool: CatalogTool }) {
  const busy = useSignal(false);
  const error = useSignal<CallError | undefined>(undefined);
  const name = agentName(agent);
  const key = tool.allowed ? undefined : tool.deniedBy;
  const wider = tool.allowed ? [] : widerDenials(offer, tool.id, groups);
  const isOutOfReach = isForAll(key) || wider.length > 0;
  const change = async (wanted: boolean) => {
    busy.value = true;
    error.value = undefined;
    const next = (now: Offer) => (wanted ? given(now, tool, groups) : taken(now, tool.id));
    const text = wanted ? t("capabilities.gave", { name, tool: tool.id }) : t("capabilities.took", { name, tool: tool.id });
    await changeOffer(agent.id, next, text, (thrown) => (error.value = asCallError(thrown)));
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
          onChange={(wanted) => void change(wanted)}
        />
      </span>
      <div class="c-tool">
        <b>
          <code>{tool.id}</code>
        </b>
        <p class="desc">{chineseFor(tools, tool.id) ?? said(tool.description)}</p>
      </div>
      <div class="c-why">
        <p class="why" id={`why-${tool.id}`}>
          {busy.value ? t("shared.saving") : <Why {...{ name, tool, wider }} lackedBy={key} />}
        </p>
        <p class="needs">
          <Icon name={tool.needs ?? "eye"} size="s" />
          <span>{tool.needs ? rich("capabilities.needs", { capability: tool.needs }) : t("capabilities.needsNothing")}</span>
        </p>
      </div>
      {error.value && (
        <Banner kind="bad" alert>
          <b>{t("capabilities.notSaved")}</b> {told(error.value)}
        </Banner>
      )}
    </li>
  );
}

type WhyProps = { name: string; tool: CatalogTool; lackedBy: string | undefined; wider: readonly string[] };

function Why({ name, tool, lackedBy, wider }: WhyProps) {
  if (tool.allowed) return <>{t("capabilities.hasIt", { name })}</>;
  if (lackedBy && isForAll(lackedBy)) return <>{rich("capabilities.lacksForAll", { key: lackedBy })}</>;
  if (wider[0]) return <>{rich("capabilities.lacksWide", { word: wider[0] })}</>;
  // What only a newer gateway says is shown as it is.
  return <>{lackedBy ? rich("capabilities.lacksIt", { key: lackedBy }) : said(tool.reason)}</>;
}

/** Up, Down, Home and End on a switch lead to the one of another row. */
function moveBetweenRows(event: TargetedKeyboardEvent<HTMLElement>): void {
  const switches = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-control="switch"]:not(:disabled)')];
  const at = switches.indexOf(event.target as HTMLElement);
  const to = at < 0 ? undefined : rowAfter(event.key, at, switches.length);
  if (to === undefined) return;
  event.preventDefault();
  switches[to]?.focus();
}
