// The undo of a turn: it asks first, does it once, and after a lost connection asks again instead of doing it again.
import { batch } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HelloOk, UndoneFile } from "../../generated/protocol";
import { CallError } from "../../gateway/failure";
import * as connection from "../../gateway/link";
import { Undo, filesPutBack, refusedFirst } from "./undo";

const { epoch, link } = connection;
const files: readonly UndoneFile[] = [
  { path: "a.md", outcome: "restored" },
  { path: "b.md", outcome: "refused", reason: "it changed since" },
  { path: "c.md", outcome: "removed" },
  { path: "d.md", outcome: "unchanged" },
];
const report = { runId: "run", files };

let answers: (() => Promise<unknown>)[] = [];
const sent: unknown[] = [];
const request = (_method: string, params: unknown) => {
  sent.push(params);
  return (answers.shift() ?? (() => new Promise(() => undefined)))();
};
const lost = () => Promise.reject(new CallError("DISCONNECTED", "The connection to the gateway ended.", undefined, true));
const settled = () => new Promise((resolve) => setImmediate(resolve));
const connect = () =>
  batch(() => {
    link.value = { state: "ready", hello: {} as HelloOk };
    epoch.value += 1;
  });
let created: Undo | undefined;

async function open(...replies: (() => Promise<unknown>)[]): Promise<Undo> {
  answers = replies;
  created = new Undo("agent:main:main", "run");
  await settled();
  return created;
}

const dry = { key: "agent:main:main", runId: "run", dryRun: true };
const real = { key: "agent:main:main", runId: "run" };

beforeEach(() => {
  sent.length = 0;
  connect();
  vi.spyOn(connection, "currentConnection").mockReturnValue({ request } as never);
});
afterEach(() => {
  created?.close();
  vi.restoreAllMocks();
});

describe("the undo of a turn", () => {
  it("asks what would happen, and does it only when that is confirmed", async () => {
    const undo = await open(async () => report, async () => report);
    expect([undo.step.value, sent]).toEqual([{ state: "preview", files }, [dry]]);
    const doing = undo.confirm();
    expect(undo.step.value).toEqual({ state: "undoing", files });
    await undo.confirm();
    await doing;
    expect([undo.step.value, sent]).toEqual([{ state: "done", files }, [dry, real]]);
  });

  it("cannot be confirmed before it is known what would happen", async () => {
    const undo = await open();
    await undo.confirm();
    expect([undo.step.value.state, sent]).toEqual(["checking", [dry]]);
  });

  it("is checked again, not done again, after a lost connection", async () => {
    const undo = await open(async () => report, lost, async () => report);
    await undo.confirm();
    expect(undo.step.value).toMatchObject({ state: "failed", isUndo: true });
    link.value = { state: "waiting", until: 0, why: "down", tries: 1 };
    connect();
    await settled();
    expect([undo.step.value.state, sent]).toEqual(["preview", [dry, real, dry]]);
  });

  it("that is refused says so until it is tried again", async () => {
    const undo = await open(() => Promise.reject(new CallError("UNAVAILABLE", "a turn is running", { code: "busy" })), async () => report);
    expect(undo.step.value).toMatchObject({ state: "failed", isUndo: false });
    connect();
    await settled();
    expect(sent).toHaveLength(1);
    await undo.check();
    expect(undo.step.value.state).toBe("preview");
  });

  it("that was closed ignores a late failure, and does not check again", async () => {
    let fail = () => {};
    const undo = await open(() => new Promise((_, reject) => (fail = () => reject(new CallError("DISCONNECTED", "it ended")))));
    undo.close();
    fail();
    await settled();
    connect();
    await settled();
    expect([undo.step.value, sent]).toEqual([{ state: "checking" }, [dry]]);
  });

  it("counts what is put back, and lists refused files first", () => {
    expect(filesPutBack(files).map(({ path }) => path)).toEqual(["a.md", "c.md"]);
    expect(refusedFirst(files).map(({ path }) => path)).toEqual(["b.md", "a.md", "c.md", "d.md"]);
  });
});
