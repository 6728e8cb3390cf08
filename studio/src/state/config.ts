// The configuration, and changes of it that meet the file as it is.
// Promises: a change is made to the newest version, tried once more when somebody else was quicker, and not written
// when it changes nothing. Secrets are never in it: the gateway keeps those that come back masked.
import type { ConfigSnapshot } from "../generated/protocol";
import { call } from "../gateway/calls";
import { CallError, asCallError } from "../gateway/failure";
import { resource } from "./resource";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Config = { [name: string]: Json };

/** What became of a change. */
export type Change = { wrote: boolean; config: Config };

/** The two ways to write; replaced by tests. */
type Gateway = {
  read(): Promise<ConfigSnapshot>;
  write(method: "config.set" | "config.patch", raw: string, baseHash: string | undefined): Promise<{ config: unknown }>;
};

const gateway: Gateway = {
  read: () => call("config.get", {}),
  write: (method, raw, baseHash) => call(method, baseHash ? { raw, baseHash } : { raw }),
};

export const config = resource<ConfigSnapshot>(gateway.read, { on: { "config.changed": true } });

/** Makes the file say what `change` makes of it. It is given a copy that it may change and return. */
export function changeConfig(change: (config: Config) => Config, over: Gateway = gateway): Promise<Change> {
  return written(over, (now) => {
    const wanted = change(structuredClone(now));
    return isSame(now, wanted) ? undefined : ["config.set", wanted];
  });
}

/** Applies a merge patch (RFC 7396): what is not named stays, `null` takes away, a list is replaced as a whole. */
export function patchConfig(patch: (config: Config) => Config, over: Gateway = gateway): Promise<Change> {
  return written(over, (now) => {
    const wanted = patch(now);
    return isSame(now, merged(now, wanted)) ? undefined : ["config.patch", wanted];
  });
}

type Wanted = ["config.set" | "config.patch", Config];

async function written(over: Gateway, want: (config: Config) => Wanted | undefined): Promise<Change> {
  for (let isRetry = false; ; isRetry = true) {
    const seen = await over.read();
    if (!seen.valid && seen.raw === null) {
      throw new CallError("INVALID_REQUEST", seen.issues[0]?.message ?? "The configuration cannot be read.", { code: "malformed" });
    }
    const now = seen.config as Config;
    const wanted = want(now);
    if (!wanted) return { wrote: false, config: now };
    try {
      const [method, value] = wanted;
      const answer = await over.write(method, JSON.stringify(value, null, 2), seen.exists ? seen.hash : undefined);
      return { wrote: true, config: answer.config as Config };
    } catch (thrown) {
      const error = asCallError(thrown);
      if (isRetry || !error.isStale) throw error;
    }
  }
}

/** Whether two values say the same; the order of names does not count. */
export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isSame(item, other[index]));
  }
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

/** A merge patch, applied. */
export function merged(onto: Json | undefined, patch: Json): Json {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const base = typeof onto === "object" && onto !== null && !Array.isArray(onto) ? onto : {};
  const result = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, merged(result.get(name), value));
  }
  return Object.fromEntries(result);
}
