// The configuration, and changes to it.
// A change applies to the newest version, is retried once if another client was faster, and is not written if it changes
// nothing. Secrets arrive masked; the gateway keeps those that come back masked.
import type { ConfigSnapshot } from "../generated/protocol";
import { call } from "../gateway/calls";
import { CallError, asCallError } from "../gateway/failure";
import { resource } from "./resource";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Config = { [name: string]: Json };

export type ConfigChange = { wrote: boolean; config: Config };

/** Reads and writes the file; replaced by tests. */
type Gateway = {
  read(): Promise<ConfigSnapshot>;
  write(method: "config.set" | "config.patch", raw: string, baseHash: string): Promise<{ config: unknown }>;
};

const gateway: Gateway = {
  read: () => call("config.get", {}),
  write: (method, raw, baseHash) => call(method, { raw, baseHash }),
};

export const config = resource<ConfigSnapshot>(gateway.read, { on: { "config.changed": true } });

/** Writes what `change` returns. It receives a copy that it may modify. */
export function changeConfig(change: (config: Config) => Config, over: Gateway = gateway): Promise<ConfigChange> {
  return writeConfig(over, (now) => {
    const next = change(structuredClone(now));
    return isEqual(now, next) ? undefined : ["config.set", next];
  });
}

/** Applies a merge patch (RFC 7396): missing names stay, `null` removes, a list is replaced as a whole. */
export function patchConfig(patch: (config: Config) => Config, over: Gateway = gateway): Promise<ConfigChange> {
  return writeConfig(over, (now) => {
    const changes = patch(now);
    return isEqual(now, mergePatch(now, changes)) ? undefined : ["config.patch", changes];
  });
}

type ConfigWrite = ["config.set" | "config.patch", Config];

async function writeConfig(over: Gateway, change: (config: Config) => ConfigWrite | undefined): Promise<ConfigChange> {
  for (let isRetry = false; ; isRetry = true) {
    const seen = await over.read();
    if (!seen.valid && seen.raw === null) {
      throw new CallError("INVALID_REQUEST", seen.issues[0]?.message ?? "The configuration cannot be read.", { code: "malformed" });
    }
    const now = seen.config as Config;
    const write = change(now);
    if (!write) return { wrote: false, config: now };
    try {
      const [method, value] = write;
      const answer = await over.write(method, JSON.stringify(value, null, 2), seen.hash);
      return { wrote: true, config: answer.config as Config };
    } catch (thrown) {
      const error = asCallError(thrown);
      if (isRetry || !error.isStale) throw error;
    }
  }
}

/** Deep equality; the order of names does not matter. */
export function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isEqual(item, other[index]));
  }
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

/** Applies a merge patch (RFC 7396). */
export function mergePatch(onto: Json | undefined, patch: Json): Json {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const base = typeof onto === "object" && onto !== null && !Array.isArray(onto) ? onto : {};
  const result = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePatch(result.get(name), value));
  }
  return Object.fromEntries(result);
}
