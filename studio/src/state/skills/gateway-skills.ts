// Every skill of the gateway: the reports of all agents merged, each folder once.
// If in doubt, the default agent's report wins; each skill knows which agents see it and which may use it.
import type { AgentsList, SkillStatus, SkillsReport } from "../../generated/protocol";
import type { Config } from "../config";
import { isAllowed } from "../readiness";
import { accessOf, allows } from "./access";

export type GatewaySkill = {
  skill: SkillStatus;
  /** The agent to name in calls about it. */
  agentId: string;
  /** The agents that have it: all, or the one whose workspace has it. */
  seenBy: string[];
  /** Those of them that may use it. */
  allowedFor: string[];
  /** Other sources with a skill of this name, which are not used. */
  shadows: string[];
};

export type GatewaySkills = { skills: GatewaySkill[]; installsTo: { agentId: string; path: string } };

/** Reports loaded at the same time. */
const AT_ONCE = 4;

export async function loadGatewaySkills(list: AgentsList, read: (agentId: string) => Promise<SkillsReport>): Promise<GatewaySkills> {
  const ids = agentIds(list);
  const reports: SkillsReport[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    reports.push(...(await Promise.all(ids.slice(from, from + AT_ONCE).map(read))));
  }
  return { skills: mergeReports(reports), installsTo: { agentId: list.defaultId, path: reports[0]?.workspaceDir ?? "" } };
}

const agentIds = (list: AgentsList): string[] => [
  ...new Set([list.defaultId, ...list.agents.map((agent) => agent.id)]),
];

/** Merges reports, sorted by name. */
export function mergeReports(reports: readonly SkillsReport[]): GatewaySkill[] {
  const found = new Map<string, GatewaySkill>();
  for (const report of reports) {
    const shadows = shadowsOf(report.skills);
    for (const skill of report.skills) {
      if (skill.shadowedBy) continue;
      const known = found.get(skill.filePath);
      const entry = known ?? { skill, agentId: report.agentId, seenBy: [], allowedFor: [], shadows: shadows.get(skill.name) ?? [] };
      entry.seenBy.push(report.agentId);
      if (isAllowed(skill)) entry.allowedFor.push(report.agentId);
      found.set(skill.filePath, entry);
    }
  }
  return [...found.values()].sort((one, other) => (one.skill.name < other.skill.name ? -1 : one.skill.name > other.skill.name ? 1 : 0));
}

/** Applies the access in the configuration: a report has none for a skill that it cannot read. */
export function withAccess(skills: readonly GatewaySkill[], config: Config): GatewaySkill[] {
  const ids = new Set(skills.flatMap(({ seenBy }) => seenBy));
  const access = new Map([...ids].map((id) => [id, accessOf(config, id)]));
  return skills.map((entry) => ({
    ...entry,
    allowedFor: entry.seenBy.filter((id) => allows(access.get(id) ?? accessOf(config, id), entry.skill.name)),
  }));
}

/** The other sources of each name, besides the one in use. */
export function shadowsOf(skills: readonly SkillStatus[]): Map<string, string[]> {
  const shadows = new Map<string, string[]>();
  for (const skill of skills) {
    if (skill.shadowedBy) shadows.set(skill.name, [...(shadows.get(skill.name) ?? []), skill.source]);
  }
  return shadows;
}

/** The linked skill: of several with this key, the one that the agent has. */
export function linkedSkill(skills: readonly GatewaySkill[], key: string | undefined, agentId: string): GatewaySkill | undefined {
  if (key === undefined) return undefined;
  const meant = skills.filter(({ skill }) => skill.skillKey === key);
  return meant.find(({ seenBy }) => seenBy.includes(agentId)) ?? meant[0];
}
