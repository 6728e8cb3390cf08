import { describe, expect, it } from "vitest";
import type { AuditParams, LogsParams } from "../../generated/protocol";
import { CallError } from "../../gateway/failure";
import { type LogSource, feed } from "./feed";

const at = (second: number) => `2026-11-17T20:00:${String(second).padStart(2, "0")}Z`;

/** A log and an audit chain in memory, read like the gateway's. */
function written() {
  const log: string[] = [];
  const chain: { seq: number; ts: string; event: string }[] = [];
  const asked: (LogsParams | AuditParams)[] = [];
  const source: LogSource = {
    lines: async (params) => {
      asked.push(params);
      const lines = log.slice(params.cursor ?? 0);
      return { file: "tarsus.log", cursor: log.length, size: log.length, lines, truncated: false, reset: false };
    },
    records: async (params) => {
      asked.push(params);
      return { records: chain.filter(({ ts }) => ts >= (params.since ?? "")), unreadable: 0 };
    },
  };
  return {
    source,
    asked,
    say: (second: number) => log.push(JSON.stringify({ timestamp: at(second), level: "INFO", fields: { message: `line ${second}` } })),
    record: (second: number) => chain.push({ seq: chain.length + 1, ts: at(second), event: "app.launch" }),
  };
}

const keys = (of: ReturnType<typeof feed>) => of.entries.value?.map(({ key }) => key);

describe("the feed", () => {
  it("reads once, then only what came after, and nothing twice", async () => {
    const files = written();
    files.say(1);
    files.record(2);
    const live = feed(files.source);
    expect(live.entries.value).toBeUndefined();
    await live.refresh();
    expect(keys(live)).toEqual(["r1", "l0"]);
    // At the same moment as the last one.
    files.record(2);
    files.say(3);
    await live.refresh();
    expect(keys(live)).toEqual(["l1", "r2", "r1", "l0"]);
    expect(files.asked.slice(2)).toMatchObject([{ cursor: 1 }, { since: at(2) }]);
  });

  it("does not change without new entries", async () => {
    const files = written();
    files.say(1);
    const live = feed(files.source);
    await live.refresh();
    const before = live.entries.value;
    await live.refresh();
    expect(live.entries.value).toBe(before);
  });

  it("is empty, not unread, when there is nothing", async () => {
    const live = feed(written().source);
    await live.refresh();
    expect(live.entries.value).toEqual([]);
  });

  it("keeps the newest entries, and says that older ones are omitted", async () => {
    const files = written();
    for (let second = 0; second < 5; second += 1) files.say(second);
    const live = feed(files.source, 2);
    await live.refresh();
    expect(keys(live)).toEqual(["l4", "l3"]);
    expect(live.isCut.value).toBe(true);
  });

  it("shows the chain and the reason when the log cannot be read, and recovers", async () => {
    const files = written();
    files.record(1);
    files.say(2);
    let isBroken = true;
    const live = feed({
      ...files.source,
      lines: (params) => (isBroken ? Promise.reject(new CallError("UNAVAILABLE", "no log")) : files.source.lines(params)),
    });
    await live.refresh();
    expect(keys(live)).toEqual(["r1"]);
    expect(live.failure.value?.message).toBe("no log");
    isBroken = false;
    await live.refresh();
    expect(keys(live)).toEqual(["l0", "r1"]);
    expect(live.failure.value).toBeUndefined();
  });

  it("reads once for concurrent callers", async () => {
    const files = written();
    const live = feed(files.source);
    await Promise.all([live.refresh(), live.refresh()]);
    expect(files.asked).toHaveLength(2);
  });
});
