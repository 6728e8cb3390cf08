import { describe, expect, it } from "vitest";
import type { Finding, SkillStatus } from "../generated/protocol";
import { type Readiness, isUsable, readiness, readinessOf } from "./readiness";

const nothing = { bins: [], anyBins: [], env: [], config: [], os: [] };

const skill = (more: Partial<SkillStatus>): SkillStatus =>
  ({
    eligible: false,
    disabled: false,
    blockedByAllowlist: false,
    blockedByAgentFilter: false,
    platformIncompatible: false,
    blockedBy: null,
    status: "missing",
    missing: nothing,
    diagnostics: [],
    scan: { state: "clean", findings: [], uses: [] },
    ...more,
  }) as SkillStatus;

const finding = (more: Partial<Finding>) => ({ severity: "critical", accepted: false, rule: "r", line: 6, ...more }) as Finding;

const cases: [Readiness, Partial<SkillStatus>][] = [
  ["setup", {}],
  ["ready", { eligible: true }],
  ["ready", { eligible: true, blockedByAgentFilter: true, blockedBy: "agent", status: "filtered" }],
  ["unsupported", { platformIncompatible: true }],
  ["disabled", { disabled: true, platformIncompatible: true }],
  ["disabled", { blockedByAllowlist: true, blockedBy: "allowlist" }],
  ["blocked", { disabled: true, blockedBy: "security" }],
  ["setup", { status: "invalid" }],
  ["setup", { status: "degraded" }],
];

it.each(cases)("is %s for %o", (word, more) => {
  expect(readinessOf(skill(more))).toBe(word);
});

it("is usable only when it is ready and allowed", () => {
  expect(isUsable(skill({ eligible: true }))).toBe(true);
  expect(isUsable(skill({ eligible: true, blockedByAgentFilter: true }))).toBe(false);
  expect(isUsable(skill({}))).toBe(false);
});

describe("the reasons", () => {
  it.each(cases.filter(([word]) => word !== "ready"))("are there whenever it is %s: %o", (_, more) => {
    expect(readiness(skill(more)).reasons).not.toEqual([]);
  });

  it("are none for a ready skill", () => {
    expect(readiness(skill({ eligible: true })).reasons).toEqual([]);
  });

  it("name each thing that is missing, programs before keys before settings", () => {
    const missing = { bins: ["op", "jq"], anyBins: ["npm", "pnpm"], env: ["KEY"], config: ["channels.x"], os: [] };
    expect(readiness(skill({ missing })).reasons).toEqual([
      { kind: "program", name: "op" },
      { kind: "program", name: "jq" },
      { kind: "one-program", names: ["npm", "pnpm"] },
      { kind: "key", name: "KEY" },
      { kind: "setting", path: "channels.x" },
    ]);
  });

  it("begin with the critical finding that is not accepted", () => {
    const findings = [finding({ severity: "warning", rule: "w" }), finding({ accepted: true, rule: "a" }), finding({ rule: "c" })];
    const blocked = skill({ blockedBy: "security", scan: { state: "blocked", findings, uses: [] } });
    expect(readiness(blocked).reasons).toEqual([{ kind: "finding", finding: findings[2] }]);
  });

  it("say that nobody could look when there is no finding", () => {
    expect(readiness(skill({ blockedBy: "security" })).reasons).toEqual([{ kind: "not-scanned" }]);
  });

  it("say what is wrong with a file", () => {
    const diagnostic = { code: "NO_DESCRIPTION", message: "description is required" } as const;
    const broken = skill({ status: "invalid", diagnostics: [diagnostic] });
    expect(readiness(broken).reasons).toEqual([{ kind: "unreadable", diagnostic }]);
  });
});
