import { describe, expect, it } from "vitest";
import { CallError } from "../gateway/failure";
import type { ConfigSnapshot } from "../generated/protocol";
import { type Config, type Json, changeConfig, isEqual, mergePatch, patchConfig } from "./config";

const STALE = new CallError("INVALID_REQUEST", "config changed since last load; re-run config.get and retry", { code: "stale" }, true);

/** A gateway whose file another client changes before each of the first `interruptions` writes. */
function gateway(start: Config, interruptions = 0, exists = true) {
  let file = start;
  let version = 1;
  let left = interruptions;
  const writes: { method: string; raw: Json; baseHash: string }[] = [];
  return {
    writes,
    read: async (): Promise<ConfigSnapshot> => ({
      path: "openclaw.json",
      exists,
      raw: "{}",
      valid: true,
      config: structuredClone(file),
      hash: `v${version}`,
      issues: [],
      warnings: [],
    }),
    write: async (method: "config.set" | "config.patch", raw: string, baseHash: string) => {
      if (left > 0) {
        left -= 1;
        version += 1;
        file = { ...file, others: version };
      }
      if (exists && baseHash !== `v${version}`) throw STALE;
      const value = JSON.parse(raw) as Config;
      writes.push({ method, raw: value, baseHash });
      file = method === "config.set" ? value : (mergePatch(file, value) as Config);
      return { config: file };
    },
  };
}

describe("a change of the configuration", () => {
  it("is written with the hash of what was read", async () => {
    const over = gateway({ a: 1 });
    const change = await changeConfig((config) => ({ ...config, a: 2 }), over);
    expect(change).toEqual({ wrote: true, config: { a: 2 } });
    expect(over.writes).toEqual([{ method: "config.set", raw: { a: 2 }, baseHash: "v1" }]);
  });

  it("is not written when it changes nothing", async () => {
    const over = gateway({ a: { b: [1], c: 2 } });
    const change = await changeConfig(() => ({ a: { c: 2, b: [1] } }), over);
    expect(change.wrote).toBe(false);
    expect(over.writes).toEqual([]);
  });

  it("is retried on a fresh version, and keeps concurrent changes", async () => {
    const over = gateway({ a: 1 }, 1);
    const change = await changeConfig((config) => ({ ...config, a: 2 }), over);
    expect(change.config).toEqual({ a: 2, others: 2 });
  });

  it("gives up when the file changes twice", async () => {
    const over = gateway({ a: 1 }, 2);
    await expect(changeConfig((config) => ({ ...config, a: 2 }), over)).rejects.toBe(STALE);
    expect(over.writes).toEqual([]);
  });

  it("is not tried again for any other reason", async () => {
    const refusal = new CallError("FORBIDDEN", "missing scope: operator.admin");
    let tries = 0;
    const over = { ...gateway({}), write: async () => { tries += 1; throw refusal; } };
    await expect(changeConfig(() => ({ a: 1 }), over)).rejects.toBe(refusal);
    expect(tries).toBe(1);
  });

  it("is written with the hash of the snapshot when there is no file", async () => {
    const over = gateway({}, 0, false);
    await changeConfig(() => ({ a: 1 }), over);
    expect(over.writes[0]?.baseHash).toBe("v1");
  });

  it("does not modify the snapshot that was read", async () => {
    const over = gateway({ list: [1] });
    await changeConfig((config) => {
      (config["list"] as Json[]).push(2);
      return config;
    }, over);
    expect(over.writes[0]?.raw).toEqual({ list: [1, 2] });
  });
});

describe("a patch of the configuration", () => {
  it("sends only what is named", async () => {
    const over = gateway({ a: 1, b: 2 });
    await patchConfig(() => ({ a: null }), over);
    expect(over.writes[0]).toMatchObject({ method: "config.patch", raw: { a: null } });
  });

  it("is not sent when it changes nothing", async () => {
    const over = gateway({ a: 1 });
    expect((await patchConfig(() => ({ a: 1, gone: null }), over)).wrote).toBe(false);
  });
});

it("a key of every object's prototype is not found", () => {
  expect(isEqual({ toString: 1 }, { a: 1 })).toBe(false);
  expect(isEqual([1], { 0: 1 })).toBe(false);
  expect(isEqual(null, {})).toBe(false);
});
