import { batch } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HelloOk } from "../generated/protocol";
import { emit } from "../gateway/events";
import { CallError } from "../gateway/failure";
import { epoch, link } from "../gateway/link";
import { type Resource, lastValue, resource, shareResource } from "./resource";

/** Loads that the test answers by hand. */
function readings() {
  const open: { answer(value: string): void; fail(error: CallError): void }[] = [];
  let count = 0;
  const load = () => {
    count += 1;
    return new Promise<string>((answer, fail) => open.push({ answer, fail }));
  };
  const next = () => {
    const first = open.shift();
    if (!first) throw new Error("nothing is being read");
    return first;
  };
  return { load, next, count: () => count };
}

const connect = () =>
  batch(() => {
    link.value = { state: "ready", hello: {} as HelloOk };
    epoch.value += 1;
  });
const settled = () => new Promise((resolve) => setImmediate(resolve));

let created: Resource<string> | undefined;

beforeEach(() => {
  link.value = { state: "connecting", tries: 0 };
});
afterEach(() => created?.close());

describe("a resource", () => {
  it("is read when there is a connection, not before", async () => {
    const { load, next, count } = readings();
    created = resource(load);
    expect([created.state.value.state, count()]).toEqual(["loading", 0]);
    connect();
    next().answer("one");
    await settled();
    expect(created.value.value).toBe("one");
  });

  it("is read again after a reconnect and after missed events, and keeps its value meanwhile", async () => {
    const { load, next } = readings();
    created = resource(load);
    connect();
    next().answer("one");
    await settled();
    link.value = { state: "waiting", until: 0, why: "down", tries: 1 };
    expect(created.value.value).toBe("one");
    connect();
    expect(created.value.value).toBe("one");
    next().answer("two");
    await settled();
    epoch.value += 1;
    next().answer("three");
    await settled();
    expect(created.value.value).toBe("three");
  });

  it("is read again when an event says so", async () => {
    const { load, next, count } = readings();
    created = resource(load, { on: { "config.changed": true, "skills.changed": ({ agentIds }) => agentIds.includes("mira") } });
    connect();
    next().answer("one");
    await settled();
    emit("skills.changed", { agentIds: ["ada"] });
    expect(count()).toBe(1);
    emit("skills.changed", { agentIds: ["mira"] });
    expect(count()).toBe(2);
  });

  it("is read once more, not twice, for what happens while it is read", async () => {
    const { load, next, count } = readings();
    created = resource(load, { on: { "config.changed": true } });
    connect();
    emit("config.changed", {});
    emit("config.changed", {});
    next().answer("old");
    await settled();
    expect(count()).toBe(2);
    next().answer("new");
    await settled();
    expect([created.value.value, created.busy.value, count()]).toEqual(["new", false, 2]);
  });

  it("keeps the last value beside an error", async () => {
    const { load, next } = readings();
    created = resource(load);
    connect();
    next().answer("one");
    await settled();
    void created.reload();
    next().fail(new CallError("UNAVAILABLE", "busy"));
    await settled();
    expect(created.state.value).toMatchObject({ state: "failed", error: { message: "busy" } });
    expect(lastValue(created.state.value)?.value).toBe("one");
  });

  it("does not take a lost connection for an error of its own", async () => {
    const { load, next } = readings();
    created = resource(load);
    connect();
    link.value = { state: "waiting", until: 0, why: "down", tries: 1 };
    next().fail(new CallError("DISCONNECTED", "gone"));
    await settled();
    expect(created.state.value.state).toBe("loading");
  });

  it("receives nothing once it is closed", async () => {
    const { load, next, count } = readings();
    created = resource(load, { on: { "config.changed": true } });
    connect();
    created.close();
    next().answer("late");
    await settled();
    emit("config.changed", {});
    expect([created.value.value, count()]).toEqual([undefined, 1]);
  });
});

describe("a shared resource", () => {
  it("is one for all who use it, and ends with the last of them", async () => {
    const { load, next, count } = readings();
    const one = shareResource("it", () => resource(load));
    const other = shareResource("it", () => resource(load));
    connect();
    next().answer("read once");
    await settled();
    expect([one.resource.value.value, other.resource.value.value, count()]).toEqual(["read once", "read once", 1]);
    one.leave();
    void other.resource.reload();
    next().answer("again");
    await settled();
    expect(other.resource.value.value).toBe("again");
    other.leave();
    const later = shareResource("it", () => resource(load));
    expect([later.resource === other.resource, count()]).toEqual([false, 3]);
    later.leave();
  });
});
