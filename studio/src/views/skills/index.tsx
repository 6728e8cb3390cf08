// The view Skills, of one agent: what it may use. Whether a skill works on this gateway is decided in System setup.
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { SkillStatus, SkillsReport } from "../../generated/protocol";
import { AgentBand, Empty, Load } from "../../parts";
import { agentName } from "../../state/agents";
import { type Config, config } from "../../state/config";
import { isAllowed, ownSkills } from "../../state/readiness";
import { go, settings } from "../../state/route";
import { type Access as AgentAccess, type Mode, accessOf, allows, switched } from "../../state/skills/access";
import { WHOLE, accessChanges } from "../../state/skills/changes";
import { shadowsOf } from "../../state/skills/every";
import { useSkillsReport } from "../../state/skills/report";
import { followTurns, isAnswering } from "../../state/skills/turns";
import { showToast } from "../../state/toast";
import { t } from "../../words";
import { rich } from "../../words/rich";
import "../../styles/rows.css";
import "../../styles/skills.css";
import type { ViewProps } from "..";
import { Ask, type Asked } from "./Ask";
import { Header } from "./Header";
import { List } from "./List";

export default function Skills({ agent, route }: ViewProps) {
  const report = useSkillsReport(agent.id);
  // With the drawing: a turn that begins before an effect after it would be missed.
  useLayoutEffect(followTurns, []);
  return (
    <>
      <AgentBand agent={agent}>{rich("skills.band", { name: agentName(agent) })}</AgentBand>
      <div class="page">
        <Load from={report} loading={t("skills.reading")} failed={t("skills.notRead")}>
          {(value) => <Access {...{ agent, route }} report={value} reload={report.reload} />}
        </Load>
      </div>
    </>
  );
}

/** A report says nothing of access where it cannot read a skill: the configuration does. */
function withAccess(skill: SkillStatus, access: AgentAccess | undefined): SkillStatus {
  return access ? { ...skill, blockedByAgentFilter: !allows(access, skill.name) } : skill;
}

type AccessProps = ViewProps & { report: SkillsReport; reload: () => Promise<void> };

function Access({ agent, route, report, reload }: AccessProps) {
  const name = agentName(agent);
  const shadows = useMemo(() => shadowsOf(report.skills), [report]);
  const changes = useMemo(() => accessChanges(agent.id, () => Promise.all([config.reload(), reload()])), [agent.id, reload]);
  const [asked, ask] = useState<Asked>();
  const [isPicking, pick] = useState(false);
  const snapshot = config.value.value;
  const access = useMemo(() => snapshot && accessOf(snapshot.config as Config, agent.id), [snapshot, agent.id]);
  const skills = useMemo(() => ownSkills(report.skills).map((skill) => withAccess(skill, access)), [report, access]);
  const every = report.skills.map((skill) => skill.name);
  const allowed = skills.filter(isAllowed).length;

  const say = (text: string) => (undo: () => void) =>
    showToast({ text, undo, ...(isAnswering(agent.id) && { detail: t("shared.runningTurn") }) });

  const turn = (skill: string, isOn: boolean) =>
    changes.change(
      skill,
      (now) => {
        const names = switched(now.names, skill, isOn, every);
        return names === now.names ? now.own : names;
      },
      say(isOn ? t("skills.nowMay", { name, skill }) : t("skills.nowMayNot", { name, skill })),
    );

  const onSwitch = (skill: SkillStatus, isOn: boolean) => {
    if (!isOn && access?.mode === "all") ask({ kind: "off", skill: skill.name });
    else void turn(skill.name, isOn);
  };

  const onMode = (mode: Mode) => {
    pick(false);
    if (mode === access?.mode) return;
    // An empty list means none: nothing can be saved before the first skill is on.
    if (mode === "selected" && access?.mode === "none") pick(true);
    else ask({ kind: "mode", to: mode });
  };

  const changeMode = (mode: Mode) => {
    const names = mode === "all" ? undefined : mode === "none" ? [] : [...new Set(every)];
    const text = { all: "skills.nowAll", selected: "skills.nowSelected", none: "skills.nowNone" } as const;
    return changes.change(WHOLE, () => names, say(t(text[mode], { name })));
  };

  const onYes = () => {
    if (asked?.kind === "off") void turn(asked.skill, false);
    if (asked?.kind === "mode") void changeMode(asked.to);
    ask(undefined);
  };

  return (
    <>
      <Header
        agentId={agent.id}
        name={name}
        skills={skills}
        access={access}
        isPicking={isPicking && access?.mode === "none"}
        busy={changes.busy.value.has(WHOLE)}
        failed={changes.failed.value.get(WHOLE)}
        onMode={onMode}
        onDismiss={() => changes.dismiss(WHOLE)}
      />
      {skills.length === 0 ? (
        <Empty icon="star" title={t("skills.empty")}>
          {rich("skills.emptyNext", { path: `${report.workspaceDir}/skills` })}
        </Empty>
      ) : (
        <List
          {...{ name, skills, shadows, changes, onSwitch }}
          target={route.view === "settings" ? route.skill : undefined}
          onSetup={(skill) => go(settings("setup", { agentId: agent.id, skill: skill.skillKey }))}
        />
      )}
      {asked && access && (
        <Ask asked={asked} name={name} from={access.mode} all={skills.length} allowed={allowed} onYes={onYes} onNo={() => ask(undefined)} />
      )}
    </>
  );
}
