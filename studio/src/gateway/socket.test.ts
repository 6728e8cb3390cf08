import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ConnectParams, HelloOk } from "../generated/protocol";
import { CallError } from "./failure";
import { Connection, type ConnectionEnd } from "./socket";

class Wire {
  static readonly OPEN = 1;
  readyState = 1;
  onmessage: (message: { data: unknown }) => void = () => {};
  onclose: (close: { code: number; reason: string }) => void = () => {};
  sent: { id: string; method: string; params: unknown }[] = [];
  send(text: string) {
    this.sent.push(JSON.parse(text) as { id: string; method: string; params: unknown });
  }
  close() {
    this.readyState = 3;
  }
  tell(frame: unknown) {
    this.onmessage({ data: JSON.stringify(frame) });
  }
}

const hello = { policy: { tickIntervalMs: 30_000 } } as HelloOk;
const challenge = { type: "event", event: "connect.challenge", payload: { nonce: "n", ts: 1, capabilities: [] } };

function opened() {
  const wire = new Wire();
  const events: [string, unknown][] = [];
  const ends: ConnectionEnd[] = [];
  let gaps = 0;
  const welcomed = vi.fn();
  const device = { id: "id", publicKey: "key", sign: async () => "signature" };
  const params = () => ({ client: {}, auth: { token: "t" } }) as unknown as ConnectParams;
  const connection = new Connection(wire as unknown as WebSocket, device, params, welcomed, {
    event: (name, payload) => events.push([name, payload]),
    gap: () => (gaps += 1),
    ended: (how) => ends.push(how),
  });
  return { wire, connection, events, ends, welcomed, gaps: () => gaps };
}

async function introduced() {
  const all = opened();
  all.wire.tell(challenge);
  await vi.waitFor(() => expect(all.wire.sent).toHaveLength(1));
  return all;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Wire);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the handshake", () => {
  it("answers the challenge once, with a proof", async () => {
    const { wire, welcomed } = await introduced();
    wire.tell(challenge);
    expect(wire.sent[0]).toMatchObject({ method: "connect", params: { device: { id: "id", signature: "signature", nonce: "n" } } });
    wire.tell({ type: "res", id: "r1", ok: true, payload: hello });
    await vi.waitFor(() => expect(welcomed).toHaveBeenCalledWith(hello));
    expect(wire.sent).toHaveLength(1);
  });

  it("ends with the refusal of the gateway", async () => {
    const { wire, ends } = await introduced();
    const error = { code: "INVALID_REQUEST", message: "no", details: { code: "AUTH_TOKEN_MISSING" } };
    wire.tell({ type: "res", id: "r1", ok: false, error });
    await vi.waitFor(() => expect(ends).toHaveLength(1));
    expect(ends[0]?.refusal?.reason).toBe("AUTH_TOKEN_MISSING");
  });

  it("times out without a challenge", () => {
    const { ends } = opened();
    vi.advanceTimersByTime(15_000);
    expect(ends).toEqual([{ code: 4000, reason: "the gateway is silent" }]);
  });
});

describe("a request", () => {
  it("resolves with the response of its id", async () => {
    const { wire, connection } = opened();
    const [one, two] = [connection.request("health", {}), connection.request("status", {})];
    wire.tell({ type: "res", id: "r2", ok: true, payload: "two" });
    wire.tell({ type: "res", id: "r1", ok: false, error: { code: "FORBIDDEN", message: "no" } });
    await expect(two).resolves.toBe("two");
    await expect(one).rejects.toMatchObject({ code: "FORBIDDEN", message: "no", retryable: false });
  });

  it("times out", async () => {
    const { connection } = opened();
    const late = expect(connection.request("health", {}, 1000)).rejects.toMatchObject({ code: "TIMEOUT" });
    vi.advanceTimersByTime(1000);
    await late;
  });

  it("ends with the connection", async () => {
    const { wire, connection, ends } = opened();
    const lost = expect(connection.request("health", {})).rejects.toBeInstanceOf(CallError);
    wire.onclose({ code: 1012, reason: "stops" });
    await lost;
    expect(ends).toEqual([{ code: 1012, reason: "stops" }]);
    await expect(connection.request("health", {})).rejects.toMatchObject({ code: "DISCONNECTED" });
  });
});

describe("events", () => {
  it("arrive in order, and a gap in their numbers is detected", () => {
    const { wire, events, gaps } = opened();
    for (const seq of [1, 2, 4]) wire.tell({ type: "event", event: "tick", payload: { ts: seq }, seq });
    expect(events.map(([, payload]) => (payload as { ts: number }).ts)).toEqual([1, 2, 4]);
    expect(gaps()).toBe(1);
  });

  it("that are not valid frames are ignored", () => {
    const { wire, events } = opened();
    for (const data of ["{", "null", "[]", "7", new ArrayBuffer(1)]) wire.onmessage({ data });
    expect(events).toEqual([]);
  });
});
