import { describe, expect, it } from "vitest";
import type { Finding, SkillReason, SkillState, SkillStatus } from "../generated/protocol";
import { type Readiness, isUsable, readinessWithReasons, readinessOf } from "./readiness";

const skill = (reasons: SkillReason[], more: Partial<SkillStatus> = {}): SkillStatus =>
  ({
    status: reasons[0]?.state ?? "ready",
    reasons,
    blockedByAgentFilter: false,
    diagnostics: [],
    scan: { state: "clean", findings: [], uses: [] },
    ...more,
  }) as unknown as SkillStatus;

const reason = (state: SkillState, kind: SkillReason["kind"], ...names: string[]): SkillReason => ({ state, kind, names });

const filtered = reason("filtered", "filtered");
const program = reason("missing", "program", "op");

const cases: [Readiness, SkillReason[]][] = [
  ["ready", []],
  ["ready", [filtered]],
  ["setup", [program]],
  ["setup", [filtered, program]],
  ["setup", [reason("invalid", "unreadable")]],
  ["setup", [reason("degraded", "unreadable")]],
  ["unsupported", [reason("unsupported", "system", "darwin"), program]],
  ["unsupported", [reason("unavailable", "tool-not-built", "exec", "process"), program]],
  ["unsupported", [filtered, reason("unavailable", "tool-denied", "web_fetch")]],
  ["disabled", [reason("disabled", "disabled"), program]],
  ["disabled", [reason("not allowed", "not-allowed")]],
  ["blocked", [reason("blocked", "not-scanned"), reason("disabled", "disabled")]],
];

it.each(cases)("is %s for %o", (word, reasons) => {
  expect(readinessOf(skill(reasons))).toBe(word);
});

it("is usable only when it is ready and allowed", () => {
  expect(isUsable(skill([]))).toBe(true);
  expect(isUsable(skill([filtered], { blockedByAgentFilter: true }))).toBe(false);
  expect(isUsable(skill([program]))).toBe(false);
});

describe("the reasons", () => {
  it.each(cases.filter(([word]) => word !== "ready"))("are there whenever it is %s: %o", (_, reasons) => {
    expect(readinessWithReasons(skill(reasons)).reasons).not.toEqual([]);
  });

  it("are none for a skill that is ready or only not allowed", () => {
    expect(readinessWithReasons(skill([])).reasons).toEqual([]);
    expect(readinessWithReasons(skill([filtered])).reasons).toEqual([]);
  });

  it("keep the order of the gateway", () => {
    const missing = [
      program,
      reason("missing", "any-program", "npm", "pnpm"),
      reason("missing", "variable", "KEY"),
      reason("missing", "config", "channels.x"),
    ];
    expect(readinessWithReasons(skill(missing)).reasons).toEqual([
      { kind: "program", name: "op" },
      { kind: "one-program", names: ["npm", "pnpm"] },
      { kind: "key", name: "KEY" },
      { kind: "setting", path: "channels.x" },
    ]);
  });

  it("name the tools, and the keys that take them away", () => {
    const denied: SkillReason = { ...reason("unavailable", "tool-denied", "web_fetch"), keys: ["tools.deny"] };
    expect(readinessWithReasons(skill([denied, reason("unavailable", "tool-not-built", "exec", "process")])).reasons).toEqual([
      { kind: "tool", names: ["web_fetch"], keys: ["tools.deny"] },
      { kind: "tool", names: ["exec", "process"], keys: [] },
    ]);
  });

  it("have the finding of the rule that blocks", () => {
    const finding = (rule: string, accepted = false) => ({ rule, accepted, severity: "critical", line: 6 }) as Finding;
    const findings = [finding("a"), finding("c", true), finding("c")];
    const blocked = skill([reason("blocked", "finding", "c")], { scan: { state: "blocked", findings, uses: [] } });
    expect(readinessWithReasons(blocked).reasons).toEqual([{ kind: "finding", finding: findings[2] }]);
  });

  it("say what is wrong with a file", () => {
    const diagnostic = { code: "NO_DESCRIPTION", message: "description is required" } as const;
    const broken = skill([reason("invalid", "unreadable")], { diagnostics: [diagnostic] });
    expect(readinessWithReasons(broken).reasons).toEqual([{ kind: "unreadable", diagnostic }]);
  });
});
