// The page's five words for the state of a skill, and its reasons. State, order and reasons come from the gateway.
// Access (`filtered`) is shown separately and does not affect readiness.
import type { Finding, SkillDiagnostic, SkillReason, SkillState, SkillStatus } from "../generated/protocol";

export type Readiness = "ready" | "setup" | "unsupported" | "blocked" | "disabled";

/** In the order of the filters. */
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
  unavailable: "unsupported",
  missing: "setup",
  ready: "ready",
};

/** Why a skill is not ready. */
export type ReadinessReason =
  | { kind: "finding"; finding: Finding }
  | { kind: "not-scanned" }
  | { kind: "off" }
  | { kind: "not-bundled" }
  | { kind: "system"; systems: string[] }
  /** None of the tools can be called: this version has none, or the keys take them away. */
  | { kind: "tool"; names: string[]; keys: string[] }
  | { kind: "program"; name: string }
  | { kind: "one-program"; names: string[] }
  | { kind: "key"; name: string }
  | { kind: "setting"; path: string }
  | { kind: "unreadable"; diagnostic: SkillDiagnostic | undefined };

export type SkillReadiness = { readiness: Readiness; reasons: ReadinessReason[] };

/** The readiness and its reasons; the deciding reason comes first. */
export function readinessWithReasons(skill: SkillStatus): SkillReadiness {
  return { readiness: readinessOf(skill), reasons: skill.reasons.flatMap((reason) => reasonFor(skill, reason)) };
}

export const readinessOf = (skill: SkillStatus): Readiness => words[stateApartFromAccess(skill)];

/** The gateway's state; for `filtered`, which is about access, the next reason in its order. */
function stateApartFromAccess({ status, reasons }: SkillStatus): SkillState {
  return status === "filtered" ? (reasons.find(({ state }) => state !== "filtered")?.state ?? "ready") : status;
}

function reasonFor(skill: SkillStatus, { kind, names = [], keys = [] }: SkillReason): ReadinessReason[] {
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
    case "tool-not-built":
    case "tool-denied":
      return [{ kind: "tool", names, keys }];
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

/** Allowed and ready. */
export const isUsable = (skill: SkillStatus): boolean => isAllowed(skill) && readinessOf(skill) === "ready";

/** Without skills that are shadowed by another of the same name. */
export const ownSkills = (skills: readonly SkillStatus[]): SkillStatus[] => skills.filter((skill) => !skill.shadowedBy);
