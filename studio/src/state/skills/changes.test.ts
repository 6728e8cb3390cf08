import { describe, expect, it, vi } from "vitest";
import { CallError } from "../../gateway/failure";
import type { changeConfig, Config } from "../config";
import { isEqual } from "../config";
import { accessChanges } from "./changes";

/** A file in place of the gateway's. */
function file(config: Config) {
  const written: Config[] = [];
  const write: typeof changeConfig = (change) => {
    const wanted = change(structuredClone(config));
    const wrote = !isEqual(config, wanted);
    if (wrote) written.push((config = wanted));
    return Promise.resolve({ wrote, config });
  };
  return { write, written, now: () => config };
}

const add = (name: string) => (now: { names: string[] | undefined }) => [...(now.names ?? []), name];

describe("a change of access", () => {
  it("is busy until what is shown was read again, and only what it is about", async () => {
    const { write, written } = file({});
    let read = () => {};
    const reading = new Promise<void>((resolve) => (read = resolve));
    const changes = accessChanges("main", () => reading, write);
    const done = changes.change("a", add("a"));
    await vi.waitFor(() => expect(written).toHaveLength(1));
    expect([...changes.busy.value]).toEqual(["a"]);
    read();
    await done;
    expect(changes.busy.value.size).toBe(0);
  });

  it("can be taken back to exactly what was there", async () => {
    const { write, now } = file({ agents: { list: [{ id: "main", name: "Mira" }] } });
    const changes = accessChanges("main", () => Promise.resolve(), write);
    let back = () => {};
    await changes.change("a", add("a"), (takeBack) => (back = takeBack));
    expect(now()).toEqual({ agents: { list: [{ id: "main", name: "Mira", skills: ["a"] }] } });
    back();
    await vi.waitFor(() => expect(changes.busy.value.size).toBe(0));
    expect(now()).toEqual({ agents: { list: [{ id: "main", name: "Mira" }] } });
  });

  it("that changes nothing is not written, and there is nothing to take back", async () => {
    const { write, written } = file({ agents: { list: [{ id: "main", skills: ["a"] }] } });
    const changes = accessChanges("main", () => Promise.resolve(), write);
    const done = vi.fn();
    await changes.change("a", () => ["a"], done);
    expect(written).toEqual([]);
    expect(done).not.toHaveBeenCalled();
  });

  it("that fails is kept with its subject, and can be tried again", async () => {
    const good = file({});
    let isDown = true;
    const write: typeof changeConfig = (change) =>
      isDown ? Promise.reject(new CallError("UNAVAILABLE", "The disk is full.")) : good.write(change);
    const changes = accessChanges("main", () => Promise.resolve(), write);
    await changes.change("a", add("a"));
    expect(changes.failed.value.get("a")?.error.message).toBe("The disk is full.");
    await changes.change("b", add("b"));
    changes.dismiss("b");
    expect([...changes.failed.value.keys()]).toEqual(["a"]);
    isDown = false;
    changes.failed.value.get("a")?.again();
    await vi.waitFor(() => expect(changes.failed.value.size + changes.busy.value.size).toBe(0));
    expect(good.now()).toEqual({ agents: { list: [{ id: "main", skills: ["a"] }] } });
  });

  it("waits for the one before", async () => {
    const { write, now } = file({});
    const changes = accessChanges("main", () => Promise.resolve(), write);
    await Promise.all(["a", "b", "c"].map((name) => changes.change(name, add(name))));
    expect(now()).toEqual({ agents: { list: [{ id: "main", skills: ["a", "b", "c"] }] } });
  });
});
