// The changed files of a session: the list, events that are newer than it, what is open, and where they stand.
import { batch } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FileChange, HelloOk, RunChanges, UndoState } from "../../generated/protocol";
import { canWrite } from "../../gateway/calls";
import { emit } from "../../gateway/events";
import { CallError } from "../../gateway/failure";
import * as connection from "../../gateway/link";
import { ChangedFiles, countUndone, hasUndo, lineCounts } from "./changes";
import { rowBuilder } from "./rows";
import { type Transcript, emptyTranscript } from "./transcript";

const { epoch, hello, link } = connection;
const KEY = "agent:main:main";
const file = (path: string, undo: UndoState = "possible", counts: [number | null, number | null] = [2, 1]): FileChange => ({ path, kind: "modified", added: counts[0], removed: counts[1], undo });
const run = (runId: string, ...files: FileChange[]): RunChanges => ({ runId, sessionKey: KEY, atMs: 1, files });

type Request = { method: string; params: unknown; answer(value: unknown): void; fail(error: CallError): void };
let requests: Request[] = [];
let created: ChangedFiles | undefined;

const request = (method: string, params: unknown) => new Promise((answer, fail) => requests.push({ method, params, answer, fail }));
const settled = () => new Promise((resolve) => setImmediate(resolve));
const next = async (): Promise<Request> => {
  await settled();
  const first = requests.shift();
  if (!first) throw new Error("nothing was requested");
  return first;
};

function connect(methods: string[] = ["sessions.changes", "sessions.diff", "sessions.undo"], scopes = ["operator.write"]): void {
  const answer = { features: { methods }, auth: { scopes } } as unknown as HelloOk;
  batch(() => {
    hello.value = answer;
    link.value = { state: "ready", hello: answer };
    epoch.value += 1;
  });
}

function open(): ChangedFiles {
  created = new ChangedFiles(KEY, (key) => key === KEY);
  return created;
}

const undone = (changed: ChangedFiles, runId: string) => changed.runs.value.get(runId)?.files.map(({ undo }) => undo);

beforeEach(() => {
  requests = [];
  link.value = { state: "connecting", tries: 0 };
  vi.spyOn(connection, "currentConnection").mockReturnValue({ request } as never);
});
afterEach(() => {
  created?.close();
  vi.restoreAllMocks();
});

describe("the list of changed files", () => {
  it("is requested with a limit, and again on the next connection", async () => {
    const changed = open();
    connect();
    const first = await next();
    expect([first.method, first.params]).toEqual(["sessions.changes", { key: KEY, limit: 200 }]);
    first.answer({ runs: [run("b", file("b.md")), run("a", file("a.md"))] });
    await settled();
    expect([...changed.runs.value.keys()]).toEqual(["b", "a"]);
    connect();
    (await next()).answer({ runs: [run("c", file("c.md"))] });
    await settled();
    expect([...changed.runs.value.keys()]).toEqual(["c"]);
  });

  it("is not requested from a gateway without the method", async () => {
    const changed = open();
    connect(["chat.history"]);
    await settled();
    expect([requests, changed.list.state.value.state]).toEqual([[], "ready"]);
  });

  it("is empty for a session that is not stored yet, and a failure is one", async () => {
    const changed = open();
    connect();
    (await next()).fail(new CallError("INVALID_REQUEST", "no such session", { code: "not-found" }));
    await settled();
    expect(changed.list.state.value).toMatchObject({ state: "ready" });
    connect();
    (await next()).fail(new CallError("UNAVAILABLE", "the store is busy"));
    await settled();
    expect(changed.list.state.value.state).toBe("failed");
  });

  it("does not replace an event that arrived after it was requested", async () => {
    const changed = open();
    connect();
    const first = await next();
    emit("files.changed", run("a", file("a.md", "undone")));
    first.answer({ runs: [run("a", file("a.md", "possible"))] });
    await settled();
    expect(undone(changed, "a")).toEqual(["undone"]);
    connect();
    (await next()).answer({ runs: [run("a", file("a.md", "expired"))] });
    await settled();
    expect(undone(changed, "a")).toEqual(["expired"]);
  });

  it("ignores the runs of other sessions and announces a new run once", () => {
    const changed = open();
    emit("files.changed", { ...run("x", file("x.md")), sessionKey: "agent:main:other" });
    expect([changed.runs.value.size, changed.latest.value]).toEqual([0, undefined]);
    const first = run("a", file("a.md"));
    emit("files.changed", first);
    emit("files.changed", run("a", file("a.md", "undone")));
    expect([changed.latest.value, undone(changed, "a")]).toEqual([first, ["undone"]]);
  });
});

describe("the diff of a file", () => {
  it("is requested when it is opened, again when the run changes, and dropped when it is closed", async () => {
    connect();
    const changed = open();
    (await next()).answer({ runs: [] });
    const { diffs } = changed.openOf("a");
    changed.toggleDiff("a", "notes.md");
    const asked = await next();
    expect([asked.method, asked.params]).toEqual(["sessions.diff", { key: KEY, runId: "a", path: "notes.md" }]);
    asked.answer({ runId: "a", files: [{ path: "notes.md", hunks: [] }] });
    await settled();
    expect(diffs.value.get("notes.md")?.value.value).toEqual({ path: "notes.md", hunks: [] });
    emit("files.changed", run("b", file("notes.md")));
    await settled();
    expect(requests).toEqual([]);
    emit("files.changed", run("a", file("notes.md")));
    expect((await next()).method).toBe("sessions.diff");
    changed.toggleDiff("a", "notes.md");
    expect(diffs.value.size).toBe(0);
    emit("files.changed", run("a", file("notes.md")));
    await settled();
    expect(requests).toEqual([]);
  });

  it("stays open while its card is out of sight", () => {
    const changed = open();
    changed.openOf("a").isOpen.value = true;
    changed.toggleDiff("a", "notes.md");
    expect([changed.openOf("a").isOpen.value, [...changed.openOf("a").diffs.value.keys()]]).toEqual([true, ["notes.md"]]);
    expect(changed.openOf("b").isOpen.value).toBe(false);
  });
});

describe("a card", () => {
  it("counts lines, and files that are not text only if there is no other", () => {
    expect(lineCounts([file("a"), file("b", "possible", [3, 0]), file("c", "possible", [null, null])])).toEqual({ added: 5, removed: 1 });
    expect(lineCounts([file("c", "possible", [null, null])])).toEqual({ added: null, removed: null });
  });

  it("offers an undo while one of its files has one", () => {
    expect([hasUndo([file("a", "expired"), file("b")]), hasUndo([file("a", "undone"), file("b", "too-large")])]).toEqual([true, false]);
    expect(countUndone([file("a", "undone"), file("b")])).toBe(1);
  });

  it("offers it only to a page that may write", () => {
    const table = [[["operator.read"], false], [["operator.read", "operator.write"], true], [["operator.admin"], true], [[], false]] as const;
    for (const [scopes, may] of table) {
      connect([], [...scopes]);
      expect(canWrite()).toBe(may);
    }
  });

  it("follows the last item of its run, and leaves the buttons of the last answer", () => {
    const item = (number: number, role: "user" | "assistant", runId: string) => ({ role, number, runId, content: [{ type: "text" as const, text: "x" }] });
    const now: Transcript = { ...emptyTranscript, items: [item(1, "user", "a"), item(2, "assistant", "a"), item(3, "assistant", "a"), item(4, "user", "b"), item(5, "assistant", "b")] };
    const changes = new Map([run("b", file("b.md")), run("a", file("a.md")), run("none"), run("elsewhere", file("e.md"))].map((one) => [one.runId, one]));
    const build = rowBuilder();
    const rows = build(now, changes);
    expect(rows.map(({ key }) => key)).toEqual(["i1", "i2", "i3", "changes a", "i4", "i5", "changes b"]);
    expect(rows.at(-2)).toMatchObject({ kind: "answer", isLast: true });
    const later = build(now, new Map([...changes, ["b", run("b", file("b.md", "undone"))]]));
    expect(later.map((row, index) => row === rows[index])).toEqual([true, true, true, true, true, true, false]);
  });
});
