import { describe, expect, it } from "vitest";
import { countBy, entryOfLine, entryOfRecord, newestFirst, categoryOf, filterEntries } from "./entries";
import { launchesOf } from "./launches";

const record = (seq: number, more: Record<string, unknown> = {}) => ({
  seq,
  ts: `2026-11-17T20:00:${String(seq).padStart(2, "0")}.5Z`,
  category: "security",
  event: "app.launch",
  severity: "info",
  ...more,
});

const line = (message: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    timestamp: "2026-11-17T21:24:26.970549Z",
    level: "WARN",
    fields: { message, port: 45223 },
    target: "tarsus::commands::up",
    ...more,
  });

describe("a line of the log", () => {
  it("has its time, level, category, message and fields", () => {
    expect(entryOfLine(line("ready"), 3, 0)).toMatchObject({
      key: "l3",
      at: Date.parse("2026-11-17T21:24:26.970Z"),
      level: "warning",
      category: "gateway",
      what: "ready",
      more: "port=45223",
    });
  });

  it("of another format is shown as it is, at the time of the one before it", () => {
    for (const odd of ["panicked at 'x'", "[]", "7", '{"fields":7}', ""]) {
      expect(entryOfLine(odd, 1, 42)).toMatchObject({ at: 42, level: "info", what: odd, line: odd });
    }
  });

  it.each([
    ["tarsus_agent::tools::exec", "tools"],
    ["tarsus_agent::turn", "agent"],
    ["tarsus_models", "agent"],
    ["tarsus_apps::run", "apps"],
    ["tarsus_agent::manager", "apps"],
    ["tarsus_scan", "skills"],
    ["tarsus_automation::clock", "automations"],
    ["tarsus_gateway::socket", "gateway"],
    ["tarsus", "gateway"],
    ["hyper::proto", "other"],
    ["tarsus_agents", "other"],
  ])("of %s belongs to %s", (target, category) => {
    expect(categoryOf(target)).toBe(category);
  });
});

describe("a record of the audit chain", () => {
  it("has its subject and its outcome", () => {
    const refused = entryOfRecord(record(6, { severity: "warning", app: "Steam", decision: "denied", reason: "Steam is off" }));
    expect(refused).toMatchObject({ key: "r6", level: "warning", category: "security", more: "Steam: Steam is off" });
    const launched = entryOfRecord(record(7, { event: "app.launched", app: "Clock", decision: "started", detail: { pids: [4711, "x"] } }));
    expect(launched?.more).toBe("Clock: started, pid 4711");
    expect(entryOfRecord(record(8, { severity: "critical" }))?.level).toBe("error");
  });

  it("without number, time or event is ignored", () => {
    for (const odd of [null, 7, [], {}, record(1, { seq: "1" }), record(1, { ts: "soon" }), record(1, { event: null })]) {
      expect(entryOfRecord(odd)).toBeUndefined();
    }
  });
});

describe("the list", () => {
  const entries = newestFirst([
    ...[1, 2].flatMap((seq) => entryOfRecord(record(seq, { app: "Steam", severity: seq === 2 ? "warning" : "info" })) ?? []),
    entryOfLine(line("ready"), 1, 0),
    entryOfLine(line("again"), 2, 0),
  ]);

  it("is sorted newest first, ties by number", () => {
    expect(entries.map(({ key }) => key)).toEqual(["l2", "l1", "r2", "r1"]);
  });

  it("is narrowed by category, level and every word of the search", () => {
    const keys = (category: "all" | "security", level: "all" | "warning", search: string) =>
      filterEntries(entries, { category, level, search }, ({ what }) => what).map(({ key }) => key);
    expect(keys("security", "all", "")).toEqual(["r2", "r1"]);
    expect(keys("all", "warning", "")).toEqual(["l2", "l1", "r2"]);
    expect(keys("all", "all", "STEAM warning")).toEqual(["r2"]);
    expect(keys("all", "all", "steam ready")).toEqual([]);
  });

  it("is counted", () => {
    expect(Object.fromEntries(countBy(entries, ({ category }) => category))).toEqual({ gateway: 2, security: 2 });
  });
});

describe("the last launch", () => {
  const launched = (seq: number, app: string, decision: string) => record(seq, { event: "app.launched", app, decision, agentId: "main" });

  it("is the newest successful one; refusals and failures do not count", () => {
    const { byApp: of, isComplete: isAll } = launchesOf({
      records: [
        launched(1, "Clock", "started"),
        launched(2, "Clock", "requested"),
        launched(3, "Clock", "failed"),
        record(4, { app: "Steam", decision: "denied" }),
        "odd",
      ],
      unreadable: 0,
    });
    expect([...of]).toEqual([["Clock", { at: Date.parse("2026-11-17T20:00:02.5Z"), agentId: "main" }]]);
    expect(isAll).toBe(true);
  });

  it("is unknown, not absent, when older records are omitted", () => {
    expect(launchesOf({ records: Array.from({ length: 2000 }, () => null), unreadable: 0 }).isComplete).toBe(false);
  });
});
