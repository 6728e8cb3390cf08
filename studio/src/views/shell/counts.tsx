// The figures beside the settings entries, from data that is loaded anyway.
import type { ComponentChildren } from "preact";
import { call } from "../../gateway/calls";
import { Icon } from "../../components";
import { isUsable, ownSkills, readinessOf } from "../../state/readiness";
import type { Tab } from "../../state/route";
import { useResource } from "../../state/resource";
import { useSkillsReport } from "../../state/skills/report";
import { number, t } from "../../words";

export function useCounts(agentId: string): Partial<Record<Tab, ComponentChildren>> {
  const skills = useSkillsReport(agentId);
  const apps = useResource(() => call("apps.list", {}), { on: { "apps.changed": true } }, []);
  const report = skills.value.value;
  const listed = report && ownSkills(report.skills);
  const toSetUp = listed?.filter((skill) => readinessOf(skill) === "setup").length ?? 0;
  const registered = apps.value.value?.apps.length;
  return {
    ...(listed && {
      skills: <span class="n">{t("shared.usableOf", { ready: listed.filter(isUsable).length, all: listed.length })}</span>,
    }),
    ...(toSetUp > 0 && {
      setup: (
        <span class="n todo">
          <Icon name="warn" size="s" />
          <span aria-hidden="true">{number(toSetUp)}</span>
          <span class="sr"> {t("shared.needSetup", { n: toSetUp })}</span>
        </span>
      ),
    }),
    ...(registered !== undefined && { apps: <span class="n">{number(registered)}</span> }),
  };
}
