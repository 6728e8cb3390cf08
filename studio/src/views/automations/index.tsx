// The Automations view, of one agent: its jobs as the gateway reports them, and whether they run.
import type { AgentEntry, CronStatus } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { AgentBand, Banner, Command, Empty, Load } from "../../components";
import { agentName, agents } from "../../state/agents";
import { everyMinute } from "../../state/now";
import { useResource } from "../../state/resource";
import { ago, t } from "../../words";
import { rich } from "../../words/rich";
import "../../styles/panel.css";
import "../../styles/automations.css";
import type { ViewProps } from "..";
import { JobTable } from "./JobTable";
import { type Job, jobsOf } from "./jobs";

export default function Automations({ agent }: ViewProps) {
  const from = useResource(
    async () => {
      const [status, list] = await Promise.all([call("cron.status", {}), call("cron.list", { includeDisabled: true })]);
      return { status, list };
    },
    { on: { "config.changed": true } },
    [],
  );
  return (
    <>
      <AgentBand agent={agent} />
      <div class="page">
        <header class="page-head">
          <div class="grow">
            <h1>{t("automations.title")}</h1>
            <p>{t("automations.lead", { name: agentName(agent) })}</p>
          </div>
        </header>
        <Load from={from}>
          {({ status, list }) => (
            <Jobs agent={agent} status={status} jobs={jobsOf(list.jobs, agent.id, agents.value.value?.defaultId ?? agent.id)} />
          )}
        </Load>
      </div>
    </>
  );
}

type JobsProps = { agent: AgentEntry; status: CronStatus; jobs: readonly Job[] };

function Jobs({ agent, status, jobs }: JobsProps) {
  return (
    <>
      <Banner kind="info">{stateText(status, jobs.length > 0)}</Banner>
      {jobs.length > 0 ? <JobTable agent={agent} jobs={jobs} isRun={status.enabled} /> : <NoJobs agent={agent} isRun={status.enabled} />}
    </>
  );
}

function stateText({ enabled, nextWakeAtMs }: CronStatus, hasJobs: boolean) {
  if (!enabled) return hasJobs ? rich("automations.notRunListed") : rich("automations.notRun");
  if (nextWakeAtMs === null) return t("automations.runs");
  return `${t("automations.runs")} ${t("automations.next", { when: ago(nextWakeAtMs, everyMinute.value) })}`;
}

function NoJobs({ agent, isRun }: { agent: AgentEntry; isRun: boolean }) {
  const name = agentName(agent);
  return (
    <section class="panel nojobs">
      <Empty icon="scheduling" title={t("automations.noneTitle", { name })}>
        {isRun ? t("automations.none") : t("automations.noneWhy", { name })}
      </Empty>
      {!isRun && <Command text={`tarsus agent --agent ${agent.id} --message "…"`} />}
    </section>
  );
}
