import { describe, expect, it } from "vitest";
import type { SkillStatus, SkillsReport } from "../../generated/protocol";
import { loadGatewaySkills, linkedSkill, shadowsOf, mergeReports, withAccess } from "./gateway-skills";
import { tail } from "./install";
import { requirementsOf, variablesOf } from "./requirements";
import { countsOf, matchesSearch } from "./search";

const skill = (name: string, more: Partial<SkillStatus> = {}): SkillStatus =>
  ({ name, description: "", source: "openclaw-managed", filePath: `/managed/${name}`, skillKey: name, blockedByAgentFilter: false, ...more }) as SkillStatus;

const report = (agentId: string, ...skills: SkillStatus[]): SkillsReport => ({ agentId, workspaceDir: `/${agentId}`, skills }) as unknown as SkillsReport;

describe("a search", () => {
  const notes = { name: "Daily-Notes", description: "Writes things down", source: "openclaw-managed", skillKey: "notes_key" };

  it.each(["daily", "WRITES down", "installed", "managed", "notes_key", "  ", "ｄａｉｌｙ"])("finds it by %j", (query) => {
    expect(matchesSearch(notes, query, "Installed")).toBe(true);
  });

  it("needs every word", () => {
    expect(matchesSearch(notes, "daily weather", "Installed")).toBe(false);
  });

  it("is made in the current language", () => {
    expect([matchesSearch(notes, "installed", "Installed"), matchesSearch(notes, "installed", "已安装"), matchesSearch(notes, "已安装", "已安装")]).toEqual([true, false, true]);
  });
});

it("counts name every readiness", () => {
  expect(countsOf(["ready", "ready", "blocked"] as const, (word) => word)).toEqual({ ready: 2, setup: 0, unsupported: 0, blocked: 1, disabled: 0 });
});

describe("the skills of all agents", () => {
  const shared = skill("shared");
  const reports = [
    report("mira", shared, skill("own", { filePath: "/mira/own" })),
    report(
      "ada",
      { ...shared, blockedByAgentFilter: true },
      skill("own", { filePath: "/ada/own" }),
      skill("own", { shadowedBy: { source: "openclaw-workspace", filePath: "/ada/own" } }),
    ),
  ];

  it("have each folder once, with who has it and who may use it", () => {
    expect(mergeReports(reports).map(({ skill: { filePath }, seenBy, allowedFor, shadows }) => ({ filePath, seenBy, allowedFor, shadows }))).toEqual([
      { filePath: "/mira/own", seenBy: ["mira"], allowedFor: ["mira"], shadows: [] },
      { filePath: "/ada/own", seenBy: ["ada"], allowedFor: ["ada"], shadows: ["openclaw-managed"] },
      { filePath: "/managed/shared", seenBy: ["mira", "ada"], allowedFor: ["mira"], shadows: [] },
    ]);
  });

  it("are allowed as the configuration says, whatever a report can tell of a broken file", () => {
    const all = withAccess(mergeReports(reports), { agents: { list: [{ id: "mira", skills: [] }, { id: "ada" }] } });
    expect(all.map(({ skill: { filePath }, allowedFor }) => [filePath, allowedFor])).toEqual([
      ["/mira/own", []],
      ["/ada/own", ["ada"]],
      ["/managed/shared", ["ada"]],
    ]);
  });

  it("are opened by key, in doubt the one of the agent", () => {
    const all = mergeReports(reports);
    expect(linkedSkill(all, "own", "ada")?.skill.filePath).toBe("/ada/own");
    expect(linkedSkill(all, "own", "nobody")?.skill.filePath).toBe("/mira/own");
    expect([linkedSkill(all, "gone", "ada"), linkedSkill(all, undefined, "ada")]).toEqual([undefined, undefined]);
  });

  it("are requested once per agent, the default one first", async () => {
    const asked: string[] = [];
    const list = { defaultId: "ada", agents: [{ id: "mira" }, { id: "ada" }] } as Parameters<typeof loadGatewaySkills>[0];
    const { installsTo } = await loadGatewaySkills(list, (id) => {
      asked.push(id);
      return Promise.resolve(report(id));
    });
    expect(asked).toEqual(["ada", "mira"]);
    expect(installsTo).toEqual({ agentId: "ada", path: "/ada" });
  });

  it("know what they shadow", () => {
    expect([...shadowsOf(reports[1]?.skills ?? [])]).toEqual([["own", ["openclaw-managed"]]]);
  });
});

describe("what a skill needs", () => {
  const none = { bins: [], anyBins: [], env: [], config: [], os: [] };
  const needy = skill("needy", {
    primaryEnv: "MAIN",
    requirements: { bins: ["git", "gh"], anyBins: ["npm"], env: ["MAIN", "OUT"], config: ["a.b"], os: ["linux"] },
    missing: { ...none, bins: ["gh"], env: ["MAIN"] },
    reasons: [
      { state: "unavailable", kind: "tool-not-built", names: ["exec", "process"] },
      { state: "missing", kind: "program", names: ["gh"] },
    ],
    envVars: [{ name: "EXTRA", description: "More" }],
  });

  it("is listed, met or not", () => {
    expect(requirementsOf(needy).map(({ kind, isMet }) => [kind, isMet])).toEqual([
      ["system", true],
      ["program", true],
      ["program", false],
      ["one-program", true],
      ["key", false],
      ["key", true],
      ["setting", true],
      ["tool", false],
    ]);
  });

  it("has variables that are set here, outside, or not", () => {
    const config = { skills: { entries: { needy: { env: { EXTRA: "__MASKED__" } } } } };
    expect(variablesOf(needy, config).map(({ name, set, isMain }) => [name, set, isMain])).toEqual([
      ["MAIN", "no", true],
      ["OUT", "outside", false],
      ["EXTRA", "here", false],
    ]);
    expect(variablesOf(needy, { skills: { entries: { needy: { apiKey: { source: "store" } } } } })[0]?.set).toBe("here");
    expect(variablesOf(skill("__proto__", { ...needy, skillKey: "__proto__" }), { skills: { entries: {} } }).every(({ set }) => set !== "here")).toBe(true);
  });
});

it("the output of an installation keeps its newest part", () => {
  const text = "a".repeat(250_000) + "end";
  expect(tail(text)).toHaveLength(200_000);
  expect(tail(text).endsWith("end")).toBe(true);
});
