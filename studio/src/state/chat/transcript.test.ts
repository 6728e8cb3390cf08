// The invariants of the conversation: every item once and none lost, in any order of pages, events and lost connections.
import { describe, expect, it } from "vitest";
import type { Agent, Chat, SessionMessage } from "../../generated/protocol";
import { rowBuilder } from "./rows";
import { type TranscriptChange, type TranscriptItem, type Transcript, applyChange, emptyTranscript } from "./transcript";

const KEY = "agent:main:main";
const item = (number: number, role: "user" | "assistant" = "user", runId = `run${number}`, text = `text ${number}`): TranscriptItem => ({ role, number, runId, content: [{ type: "text", text }] });
const written = ({ number, runId, ...message }: TranscriptItem): TranscriptChange => ({ type: "appended", event: { sessionKey: KEY, number, runId: runId ?? "", message } as SessionMessage });
const page = (from: "newest" | "after" | "before", messages: TranscriptItem[], more: { generation?: number; hasMore?: boolean; sessionId?: string | null } = {}): TranscriptChange => ({
  type: "page",
  from,
  generation: more.generation ?? 0,
  page: { sessionId: more.sessionId === undefined ? "s1" : more.sessionId, messages, hasMore: more.hasMore ?? false },
});
const delta = (runId: string, text: string): TranscriptChange => ({ type: "chat", event: { runId, sessionKey: KEY, seq: 1, state: "delta", message: { role: "assistant", content: [{ type: "text", text }] } } as Chat });
const over = (runId: string, state: "final" | "aborted" | "error" = "final"): TranscriptChange => ({ type: "chat", event: { runId, sessionKey: KEY, seq: 2, state, ...(state === "error" && { errorMessage: "no model" }) } as Chat });
const retry = (runId: string): TranscriptChange => ({ type: "agent", event: { runId, sessionKey: KEY, seq: 1, ts: 1, stream: "lifecycle", data: { phase: "retry", reason: "it broke off" } } as Agent });
const after = (changes: TranscriptChange[], from: Transcript = emptyTranscript): Transcript => changes.reduce(applyChange, from);
const numbers = (now: Transcript) => now.items.map(({ number }) => number);

describe("pages and events", () => {
  it("an item in both a page and an event appears once", () => {
    expect(numbers(after([written(item(3)), page("newest", [item(1), item(2), item(3)]), written(item(3)), written(item(4))]))).toEqual([1, 2, 3, 4]);
  });

  it("an older page comes before, and says whether there are more", () => {
    const now = after([page("newest", [item(5), item(6)], { hasMore: true }), page("before", [item(1), item(2)])]);
    expect([numbers(now), now.hasOlder]).toEqual([[1, 2, 5, 6], false]);
  });

  it("an event after a lost connection does not hide what was missed before it", () => {
    const now = after([page("newest", [item(1)]), { type: "lost" }, written(item(5))]);
    expect([now.through, now.isSynced]).toEqual([1, false]);
    const whole = after([page("after", [item(2), item(3), item(5)], { generation: 1 })], now);
    expect([numbers(whole), whole.through, whole.isSynced]).toEqual([[1, 2, 3, 5], 5, true]);
  });

  it("a page requested before the connection was lost closes no gap", () => {
    expect(after([page("newest", [item(1)]), { type: "lost" }, page("after", [], { generation: 0 })]).isSynced).toBe(false);
  });

  it("a session that was reset elsewhere is read again, and only newer items stay", () => {
    const stale = after([page("newest", [item(1), item(2)]), page("after", [item(4)], { sessionId: "s2" })]);
    expect([stale.mustReload, numbers(stale)]).toEqual([true, [1, 2]]);
    const now = after([written(item(5)), page("newest", [item(4)], { sessionId: "s2" })], stale);
    expect([now.mustReload, numbers(now)]).toEqual([false, [4, 5]]);
  });
});

describe("a streaming reply", () => {
  const begun = after([page("newest", []), written(item(1, "user", "r"))]);

  it("grows, and is replaced by the message once that is written", () => {
    const saying = after([delta("r", "Hel"), delta("r", "Hello")], begun);
    expect(saying.runs[0]?.text).toBe("Hello");
    const said = after([written(item(2, "assistant", "r", "Hello"))], saying);
    expect([said.runs[0]?.text, numbers(said)]).toEqual(["", [1, 2]]);
  });

  it("is withdrawn when the answer breaks off", () => {
    const now = after([delta("r", "Half an ans"), retry("r")], begun);
    expect([now.runs[0]?.text, now.runs[0]?.retry]).toEqual(["", "it broke off"]);
  });

  it("is taken back when it turns out not to be the answer", () => {
    const withdrawn: TranscriptChange = { type: "agent", event: { runId: "r", sessionKey: KEY, seq: 1, ts: 1, stream: "lifecycle", data: { phase: "withdrawn" } } as Agent };
    const now = after([delta("r", "Let me see."), withdrawn], begun);
    expect([now.runs[0]?.text, now.runs[0]?.retry]).toEqual(["", undefined]);
    expect(after([delta("r", "Hey")], now).runs[0]?.text).toBe("Hey");
  });

  it("ends with the run, and late chunks do not restore it", () => {
    for (const how of ["final", "aborted", "error"] as const) {
      expect(after([delta("r", "Hel"), over("r", how), delta("r", "Hello")], begun).runs).toEqual([]);
    }
  });

  it("goes on after a preparing event or an unknown one", () => {
    for (const state of ["status", "unheard-of"]) {
      const told = { runId: "r", sessionKey: KEY, seq: 1, state } as Chat;
      expect(after([{ type: "chat", event: told }], begun).runs).toMatchObject([{ id: "r", isStarted: true }]);
    }
  });

  it("chunks that arrive after their message are not rendered twice", () => {
    const late = after([page("after", [item(2, "assistant", "r", "Hello there")]), delta("r", "Hello")], begun);
    const live = rowBuilder()(late).find((row) => row.kind === "live");
    expect(live?.kind === "live" && live.run.text).toBe("");
  });

  it("a failed run shows its reason until its notice is stored", () => {
    const failed = after([over("r", "error")], begun);
    expect(rowBuilder()(failed).at(-1)).toMatchObject({ kind: "failure", reason: "no model", retry: "text 1" });
    const remark: TranscriptItem = { role: "custom", customType: "run-failed-before-reply", number: 2, runId: "r", content: [{ type: "text", text: "no model" }] };
    expect(rowBuilder()(after([written(remark)], failed)).at(-1)).toMatchObject({ kind: "remark", retry: "text 1" });
  });
});

describe("what the session hides", () => {
  const result: TranscriptItem = { role: "toolResult", toolCallId: "c", toolName: "read", isError: false, number: 2, runId: "r", content: [] };

  it("has no row", () => {
    const emptied: TranscriptItem = { role: "assistant", number: 1, runId: "r", content: [] };
    const now = after([page("newest", [emptied, result, item(3, "assistant", "r")])]);
    expect(rowBuilder()(now).map(({ key }) => key)).toEqual(["i3"]);
  });

  it("leaves the card of a call whose result is hidden", () => {
    const call: TranscriptItem = { role: "assistant", number: 1, runId: "r", content: [{ type: "toolCall", id: "c", name: "read", arguments: {} }] };
    expect(rowBuilder()(after([page("newest", [call, result])]))).toMatchObject([{ kind: "answer", calls: [{ name: "read", result: { number: 2 } }] }]);
  });

  it("is read again when the session shows more or less", () => {
    const shown = after([page("newest", [item(1), item(2)]), { type: "visibility" }]);
    expect(shown.mustReload).toBe(true);
    const again = after([page("newest", [item(1), { ...item(2), content: [] }])], shown);
    expect([again.mustReload, numbers(again), again.items[1]?.content]).toEqual([false, [1, 2], []]);
  });
});

describe("a sent message", () => {
  const sending: TranscriptChange = { type: "sending", key: "k", text: "hello", at: 1 };

  it("stays until the transcript has it, by event or by page", () => {
    expect(after([sending, { type: "lost" }, { type: "sent", key: "k", isOver: false }]).outbox).toHaveLength(1);
    expect(after([sending, written(item(1, "user", "k"))]).outbox).toEqual([]);
    expect(after([sending, page("newest", [item(1, "user", "k")])]).outbox).toEqual([]);
  });

  it("a duplicate of a finished run leaves nothing behind", () => {
    const now = after([sending, { type: "sent", key: "k", isOver: true }]);
    expect([now.outbox, now.runs]).toEqual([[], []]);
  });

  it("is sent again under the same key after a refusal", () => {
    const refused = after([sending, { type: "refused", key: "k", reason: "too many", code: "busy" }]);
    expect(refused.outbox).toMatchObject([{ key: "k", state: "refused", reason: "too many", code: "busy" }]);
    expect(after([sending], refused).outbox).toMatchObject([{ key: "k", state: "sending" }]);
  });
});

describe("rows", () => {
  it("unchanged rows are the same objects", () => {
    const rows = rowBuilder();
    const one = after([page("newest", [item(1, "user", "r"), item(2, "assistant", "r")]), written(item(3, "user", "q")), delta("q", "He")]);
    const first = rows(one);
    const second = rows(after([delta("q", "Hello")], one));
    expect(second.map((row, index) => row === first[index])).toEqual([true, true, true, false]);
  });

  it("a result is rendered with its call, and a queued message after the streaming reply", () => {
    const call: TranscriptItem = { role: "assistant", number: 2, runId: "r", content: [{ type: "toolCall", id: "c", name: "read", arguments: { path: "a" } }] };
    const result: TranscriptItem = { role: "toolResult", number: 3, runId: "r", toolCallId: "c", toolName: "read", isError: false, content: [] };
    const now = after([page("newest", [item(1, "user", "r"), call, result]), { type: "run-state", runId: "r", isOver: false }, delta("r", "So"), written(item(4, "user", "q"))]);
    const rows = rowBuilder()(now);
    expect(rows.map(({ kind }) => kind)).toEqual(["user", "answer", "live", "user"]);
    expect(rows[1]).toMatchObject({ calls: [{ name: "read", result: { number: 3 } }] });
    expect(rows[3]).toMatchObject({ isWaiting: true });
  });
});

/** A seeded random generator, so that a failing case can be repeated. */
function chance(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A gateway that appends items, drops connections and answers late; the page behaves like the controller. */
function runScenario(seed: number): { server: TranscriptItem[]; now: Transcript } {
  const below = chance(seed);
  const server: TranscriptItem[] = [];
  let number = 0;
  let now = emptyTranscript;
  let isConnected = true;
  /** In flight on the socket: events keep their order, but answers and events overtake each other. */
  let events: TranscriptChange[] = [];
  let answers: TranscriptChange[] = [];
  let asked = false;
  const ask = () => {
    if (!isConnected || asked || now.isSynced) return;
    asked = true;
    const isNewest = !now.isLoaded || now.mustReload;
    const limit = 1 + below(4);
    const found = isNewest ? server.slice(-limit) : server.filter((one) => one.number > now.through).slice(0, limit);
    const hasMore = isNewest ? server.length > limit : (server.at(-1)?.number ?? 0) > (found.at(-1)?.number ?? now.through);
    answers.push(page(isNewest ? "newest" : "after", found, { generation: now.generation, hasMore, sessionId: server.length > 0 ? "s1" : null }));
  };
  const deliver = () => {
    const next = below(2) ? (events.shift() ?? answers.shift()) : (answers.shift() ?? events.shift());
    if (!next) return;
    if (next.type === "page") asked = false;
    now = applyChange(now, next);
  };
  const lose = () => {
    isConnected = false;
    events = [];
    answers = [];
    asked = false;
  };
  const connect = () => {
    isConnected = true;
    now = applyChange(now, { type: "lost" });
  };
  for (let step = 0; step < 120; step += 1) {
    const what = below(12);
    if (what < 4) {
      number += 1 + below(3);
      const one = item(number, below(2) ? "user" : "assistant");
      server.push(one);
      if (isConnected) events.push(written(one));
    } else if (what < 9) deliver();
    else if (what === 9) lose();
    else if (!isConnected) connect();
    ask();
  }
  if (!isConnected) connect();
  for (let left = 0; left < 2000 && (events.length + answers.length > 0 || !now.isSynced); left += 1) {
    ask();
    deliver();
  }
  while (now.hasOlder) {
    const oldest = now.items[0]?.number ?? 0;
    const older = server.filter((one) => one.number < oldest);
    now = applyChange(now, page("before", older.slice(-3), { hasMore: older.length > 3 }));
  }
  return { server, now };
}

describe("invariant", () => {
  // In chunks: each has its own timeout, which a busy machine needs.
  it.each([0, 250, 500, 750, 1000, 1250, 1500, 1750])("any interleaving of pages, events and lost connections gives every item once, in order (from %i)", (from) => {
    for (let seed = from; seed < from + 250; seed += 1) {
      const { server, now } = runScenario(seed);
      expect(numbers(now), `seed ${seed}`).toEqual(server.map((one) => one.number));
    }
  });
});
