// Maps the state and the reasons of a skill, as the gateway sends them, to the five words of the page.
// Pure. Whether the agent may use a skill (`filtered`) is shown apart from this.
import type { Finding, SkillDiagnostic, SkillReason, SkillState, SkillStatus } from "../generated/protocol";

export type Readiness = "ready" | "setup" | "unsupported" | "blocked" | "disabled";

/** The order in which they are listed. */
export const everyReadiness: readonly Readiness[] = ["ready", "setup", "unsupported", "blocked", "disabled"];

const words: Record<SkillState, Readiness> = {
  blocked: "blocked",
  shadowed: "disabled",
  invalid: "setup",
  disabled: "disabled",
  "not allowed": "disabled",
  degraded: "setup",
  filtered: "ready",
  unsupported: "unsupported",
  missing: "setup",
  ready: "ready",
};

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

/** The word for a skill, and why: the reason that decides comes first. */
export function readiness(skill: SkillStatus): Standing {
  return { readiness: readinessOf(skill), reasons: ownReasons(skill).flatMap((reason) => reasonFor(skill, reason)) };
}

export const readinessOf = (skill: SkillStatus): Readiness => words[ownReasons(skill)[0]?.state ?? "ready"];

const ownReasons = (skill: SkillStatus): SkillReason[] => skill.reasons.filter(({ state }) => state !== "filtered" && state !== "shadowed");

function reasonFor(skill: SkillStatus, { kind, names = [] }: SkillReason): Reason[] {
  switch (kind) {
    case "finding":
      return skill.scan.findings.filter(({ rule, accepted }) => rule === names[0] && !accepted).slice(0, 1).map((finding) => ({ kind, finding }));
    case "not-scanned":
      return [{ kind }];
    case "unreadable":
      return [{ kind, diagnostic: skill.diagnostics[0] }];
    case "disabled":
      return [{ kind: "off" }];
    case "not-allowed":
      return [{ kind: "not-bundled" }];
    case "system":
      return [{ kind, systems: names }];
    case "program":
      return names.map((name) => ({ kind, name }));
    case "any-program":
      return [{ kind: "one-program", names }];
    case "variable":
      return names.map((name) => ({ kind: "key", name }));
    case "config":
      return names.map((path) => ({ kind: "setting", path }));
    case "shadowed":
    case "filtered":
      return [];
  }
}

/** Whether the agent of the report may use it. */
export const isAllowed = (skill: SkillStatus): boolean => !skill.blockedByAgentFilter;

/** Allowed and ready: what counts as usable now. */
export const isUsable = (skill: SkillStatus): boolean => isAllowed(skill) && readinessOf(skill) === "ready";

/** The skills that count: one in the shadow of another is none of its own. */
export const ownSkills = (skills: readonly SkillStatus[]): SkillStatus[] => skills.filter((skill) => !skill.shadowedBy);
