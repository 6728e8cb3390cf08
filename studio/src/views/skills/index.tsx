// The Skills view, of one agent: what it may use. Whether a skill works on this gateway is decided in System setup.
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { SkillStatus, SkillsReport } from "../../generated/protocol";
import { AgentBand, Empty, Load } from "../../components";
import { agentName } from "../../state/agents";
import { type Config, config } from "../../state/config";
import { isAllowed, ownSkills } from "../../state/readiness";
import { go, settings } from "../../state/route";
import { type AgentSkills as AgentAccess, type AccessMode, accessOf, allows, withSkill } from "../../state/skills/access";
import { WHOLE, accessChanges } from "../../state/skills/changes";
import { shadowsOf } from "../../state/skills/gateway-skills";
import { useSkillsReport } from "../../state/skills/report";
import { followTurns, isAnswering } from "../../state/skills/turns";
import { showToast } from "../../state/toast";
import { t } from "../../words";
import { rich } from "../../words/rich";
import "../../styles/rows.css";
import "../../styles/skills.css";
import type { ViewProps } from "..";
import { ConfirmAccessChange, type PendingAccessChange } from "./ConfirmAccessChange";
import { Header } from "./Header";
import { List } from "./List";

export default function Skills({ agent, route }: ViewProps) {
  const report = useSkillsReport(agent.id);
  // A layout effect: one after the paint would miss a turn that starts meanwhile.
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

/** A report has no access for a skill that it cannot read: use the configuration. */
function withAccess(skill: SkillStatus, access: AgentAccess | undefined): SkillStatus {
  return access ? { ...skill, blockedByAgentFilter: !allows(access, skill.name) } : skill;
}

type AccessProps = ViewProps & { report: SkillsReport; reload: () => Promise<void> };

function Access({ agent, route, report, reload }: AccessProps) {
  const name = agentName(agent);
  const shadows = useMemo(() => shadowsOf(report.skills), [report]);
  const changes = useMemo(() => accessChanges(agent.id, () => Promise.all([config.reload(), reload()])), [agent.id, reload]);
  const [pending, setPending] = useState<PendingAccessChange>();
  const [isPicking, pick] = useState(false);
  const snapshot = config.value.value;
  const access = useMemo(() => snapshot && accessOf(snapshot.config as Config, agent.id), [snapshot, agent.id]);
  const skills = useMemo(() => ownSkills(report.skills).map((skill) => withAccess(skill, access)), [report, access]);
  const every = report.skills.map((skill) => skill.name);
  const allowed = skills.filter(isAllowed).length;

  const toastWithUndo = (text: string) => (undo: () => void) =>
    showToast({ text, undo, ...(isAnswering(agent.id) && { detail: t("shared.runningTurn") }) });

  const turn = (skill: string, isOn: boolean) =>
    changes.change(
      skill,
      (now) => {
        const names = withSkill(now.names, skill, isOn, every);
        return names === now.names ? now.own : names;
      },
      toastWithUndo(isOn ? t("skills.nowMay", { name, skill }) : t("skills.nowMayNot", { name, skill })),
    );

  const onSwitch = (skill: SkillStatus, isOn: boolean) => {
    if (!isOn && access?.mode === "all") setPending({ kind: "off", skill: skill.name });
    else void turn(skill.name, isOn);
  };

  const onMode = (mode: AccessMode) => {
    pick(false);
    if (mode === access?.mode) return;
    // An empty list means none: nothing can be saved before the first skill is on.
    if (mode === "selected" && access?.mode === "none") pick(true);
    else setPending({ kind: "mode", to: mode });
  };

  const changeMode = (mode: AccessMode) => {
    const names = mode === "all" ? undefined : mode === "none" ? [] : [...new Set(every)];
    const text = { all: "skills.nowAll", selected: "skills.nowSelected", none: "skills.nowNone" } as const;
    return changes.change(WHOLE, () => names, toastWithUndo(t(text[mode], { name })));
  };

  const onYes = () => {
    if (pending?.kind === "off") void turn(pending.skill, false);
    if (pending?.kind === "mode") void changeMode(pending.to);
    setPending(undefined);
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
      {pending && access && (
        <ConfirmAccessChange pending={pending} name={name} from={access.mode} all={skills.length} allowed={allowed} onYes={onYes} onNo={() => setPending(undefined)} />
      )}
    </>
  );
}
