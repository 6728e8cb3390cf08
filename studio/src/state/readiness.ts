// How a skill stands on this gateway: one of five words and every reason for it; the same in every view.
// Promises: pure; a skill that is not ready has at least one reason. Whether an agent may use it is another question.
// Leaves to others: the words (views/skills/Reason.tsx).
import type { Finding, SkillDiagnostic, SkillStatus } from "../generated/protocol";

export type Readiness = "ready" | "setup" | "unsupported" | "blocked" | "disabled";

/** The order in which they are listed. */
export const everyReadiness: readonly Readiness[] = ["ready", "setup", "unsupported", "blocked", "disabled"];

/** Why a skill is not ready. */
export type Reason =
  | { kind: "finding"; finding: Finding }
  | { kind: "not-scanned" }
  | { kind: "off" }
  | { kind: "not-bundled" }
  | { kind: "system"; systems: string[] }
  | { kind: "program"; name: string }
  | { kind: "one-program"; names: string[] }
  | { kind: "key"; name: string }
  | { kind: "setting"; path: string }
  | { kind: "unreadable"; diagnostic: SkillDiagnostic | undefined };

export type Standing = { readiness: Readiness; reasons: Reason[] };

/** How a skill stands, and why: the reason that decides comes first. */
export function readiness(skill: SkillStatus): Standing {
  const word = readinessOf(skill);
  return { readiness: word, reasons: word === "ready" ? [] : reasonsOf(skill, word) };
}

export function readinessOf(skill: SkillStatus): Readiness {
  if (skill.blockedBy === "security") return "blocked";
  if (skill.disabled || skill.blockedByAllowlist) return "disabled";
  if (skill.eligible) return "ready";
  return skill.platformIncompatible ? "unsupported" : "setup";
}

function reasonsOf(skill: SkillStatus, word: Readiness): Reason[] {
  const missing = missingOf(skill);
  if (word === "blocked") {
    const decides = skill.scan.findings.find((finding) => finding.severity === "critical" && !finding.accepted);
    return [decides ? { kind: "finding", finding: decides } : { kind: "not-scanned" }, ...missing];
  }
  if (word === "disabled") return [skill.disabled ? { kind: "off" } : { kind: "not-bundled" }, ...missing];
  return missing.length > 0 ? missing : [unreadable(skill)];
}

function missingOf(skill: SkillStatus): Reason[] {
  const { os, bins, anyBins, env, config } = skill.missing;
  const isUnreadable = skill.status === "invalid" || skill.status === "degraded";
  return [
    ...(isUnreadable ? [unreadable(skill)] : []),
    ...(os.length > 0 ? [{ kind: "system" as const, systems: os }] : []),
    ...bins.map((name) => ({ kind: "program" as const, name })),
    ...(anyBins.length > 0 ? [{ kind: "one-program" as const, names: anyBins }] : []),
    ...env.map((name) => ({ kind: "key" as const, name })),
    ...config.map((path) => ({ kind: "setting" as const, path })),
  ];
}

const unreadable = (skill: SkillStatus): Reason => ({ kind: "unreadable", diagnostic: skill.diagnostics[0] });

/** Whether the agent of the report may use it. */
export const isAllowed = (skill: SkillStatus): boolean => !skill.blockedByAgentFilter;

/** Allowed and ready: what counts as usable now. */
export const isUsable = (skill: SkillStatus): boolean => isAllowed(skill) && readinessOf(skill) === "ready";

/** The skills that count: one in the shadow of another is none of its own. */
export const ownSkills = (skills: readonly SkillStatus[]): SkillStatus[] => skills.filter((skill) => !skill.shadowedBy);
