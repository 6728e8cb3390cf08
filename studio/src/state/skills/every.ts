// Every skill of the gateway: those of all agents together, each folder once.
// Promises: the default agent's come first in doubt; each knows which agents see it and which may use it.
import type { AgentsList, SkillStatus, SkillsReport } from "../../generated/protocol";
import type { Config } from "../config";
import { isAllowed } from "../readiness";
import { accessOf, allows } from "./access";

export type GatewaySkill = {
  skill: SkillStatus;
  /** The agent that it is asked about with. */
  agentId: string;
  /** The agents that have it: all of them, or the one in whose workspace it is. */
  seenBy: string[];
  /** Those of them that may use it. */
  allowedFor: string[];
  /** Where the same name is found besides, and not used. */
  shadows: string[];
};

export type EverySkill = { skills: GatewaySkill[]; installsTo: { agentId: string; path: string } };

/** Asks for so many agents at once. */
const AT_ONCE = 4;

export async function everySkill(list: AgentsList, read: (agentId: string) => Promise<SkillsReport>): Promise<EverySkill> {
  const ids = inOrder(list);
  const reports: SkillsReport[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    reports.push(...(await Promise.all(ids.slice(from, from + AT_ONCE).map(read))));
  }
  return { skills: together(reports), installsTo: { agentId: list.defaultId, path: reports[0]?.workspaceDir ?? "" } };
}

const inOrder = (list: AgentsList): string[] => [
  ...new Set([list.defaultId, ...list.agents.map((agent) => agent.id)]),
];

/** Several reports as one list, by name. */
export function together(reports: readonly SkillsReport[]): GatewaySkill[] {
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

/** With who may use each as the configuration says it: a report says nothing of that where it cannot read a skill. */
export function withAccess(skills: readonly GatewaySkill[], config: Config): GatewaySkill[] {
  const ids = new Set(skills.flatMap(({ seenBy }) => seenBy));
  const access = new Map([...ids].map((id) => [id, accessOf(config, id)]));
  return skills.map((entry) => ({
    ...entry,
    allowedFor: entry.seenBy.filter((id) => allows(access.get(id) ?? accessOf(config, id), entry.skill.name)),
  }));
}

/** The sources that each name is in besides the one that is used. */
export function shadowsOf(skills: readonly SkillStatus[]): Map<string, string[]> {
  const shadows = new Map<string, string[]>();
  for (const skill of skills) {
    if (skill.shadowedBy) shadows.set(skill.name, [...(shadows.get(skill.name) ?? []), skill.source]);
  }
  return shadows;
}

/** The one that a link points at: of several with this key, the one that the agent has. */
export function pointedAt(skills: readonly GatewaySkill[], key: string | undefined, agentId: string): GatewaySkill | undefined {
  if (key === undefined) return undefined;
  const meant = skills.filter(({ skill }) => skill.skillKey === key);
  return meant.find(({ seenBy }) => seenBy.includes(agentId)) ?? meant[0];
}
