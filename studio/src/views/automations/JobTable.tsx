// The jobs of an agent: schedule, next and last run, state. Read-only.
import type { AgentEntry } from "../../generated/protocol";
import { Chip, Table, Time } from "../../components";
import { agentName } from "../../state/agents";
import { everyMinute } from "../../state/now";
import { ago, fullMoment, locale, t } from "../../words";
import { rich } from "../../words/rich";
import { type Job, type Schedule, timeOf } from "./jobs";

export function JobTable({ agent, jobs, isRun }: { agent: AgentEntry; jobs: readonly Job[]; isRun: boolean }) {
  const heads = [t("automations.job"), t("automations.when"), t("automations.nextRun"), t("automations.lastRun"), t("automations.state")];
  return (
    <Table label={t("automations.jobs", { name: agentName(agent) })} heads={heads}>
      {jobs.map((job) => (
        <tr key={job.id}>
          <th scope="row">
            <b>{job.name}</b>
          </th>
          <td>{scheduleText(job.schedule)}</td>
          <td>{nextRun(job, isRun)}</td>
          <td>{lastRun(job)}</td>
          <td>
            {job.enabled ? <Chip icon="check">{t("automations.on")}</Chip> : <Chip icon="power">{t("automations.off")}</Chip>}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function scheduleText(schedule: Schedule) {
  switch (schedule.kind) {
    case "at":
      return t("automations.once", { at: fullMoment(schedule.at) });
    case "every": {
      const { n, unit } = timeOf(schedule.ms);
      return t("automations.every", { time: new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: "long" }).format(n) });
    }
    case "cron":
      return schedule.zone
        ? rich("automations.cronIn", { expr: schedule.expr, zone: schedule.zone })
        : rich("automations.cron", { expr: schedule.expr });
    case "unknown":
      return t("automations.unknown");
  }
}

function nextRun(job: Job, isRun: boolean) {
  if (!isRun) return t("automations.nextNot");
  return job.enabled && job.nextRunAt !== undefined ? <Time at={job.nextRunAt} relative /> : t("automations.nextNone");
}

function lastRun(job: Job) {
  if (job.lastRunAt === undefined) return t("automations.never");
  const when = ago(job.lastRunAt, everyMinute.value);
  return job.lastStatus ? t("automations.lastOk", { when, status: job.lastStatus }) : when;
}
