import { describe, expect, it } from "vitest";
import { jobsOf, timeOf } from "./jobs";

describe("the jobs that a gateway reports", () => {
  it("are those of the agent; without an agent, of the default one", () => {
    const entries = [{ id: "a" }, { id: "b", agentId: "ada" }, { id: "c", agentId: "main" }];
    expect(jobsOf(entries, "main", "main").map((job) => job.id)).toEqual(["a", "c"]);
    expect(jobsOf(entries, "ada", "main").map((job) => job.id)).toEqual(["b"]);
  });

  it("are read as far as they can be", () => {
    const job = {
      id: "a",
      name: "Morning",
      enabled: false,
      schedule: { kind: "cron", expr: "0 9 * * *", tz: "Europe/Berlin" },
      state: { nextRunAtMs: 5, lastRunAtMs: 3, lastStatus: "ok" },
    };
    expect(jobsOf([job], "main", "main")).toEqual([
      {
        id: "a",
        name: "Morning",
        enabled: false,
        schedule: { kind: "cron", expr: "0 9 * * *", zone: "Europe/Berlin" },
        nextRunAt: 5,
        lastRunAt: 3,
        lastStatus: "ok",
      },
    ]);
  });

  it("of any shape break nothing", () => {
    const odd = [null, 7, "x", {}, { id: "" }, { id: "a", schedule: 5, state: "x" }, { id: "b", schedule: { kind: "at", at: "never" } }, { id: "c", schedule: { kind: "every", everyMs: -1 }, state: { nextRunAtMs: 1e99 } }];
    expect(jobsOf(odd, "main", "main")).toEqual(["a", "b", "c"].map((id) => ({ id, name: id, enabled: true, schedule: { kind: "unknown" } })));
  });
});

it("a period is in its largest whole unit", () => {
  expect([86_400_000, 7_200_000, 90_000, 1_800_000].map(timeOf)).toEqual([
    { n: 1, unit: "day" },
    { n: 2, unit: "hour" },
    { n: 90, unit: "second" },
    { n: 30, unit: "minute" },
  ]);
});
