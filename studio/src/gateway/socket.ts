// One connection to the gateway: challenge, hello, requests and responses, numbered events.
// Every request settles: by a response, a timeout or the end of the connection. Gaps in events are detected.
import type { Challenge, ConnectParams, Frame, HelloOk } from "../generated/protocol";
import { type Device, signChallenge } from "./device";
import { CallError } from "./failure";

/** How a connection ended. */
export type ConnectionEnd = { code: number; reason: string; refusal?: CallError };

export type SocketHandlers = {
  event(name: string, payload: unknown): void;
  /** Events were missed: known data may be out of date. */
  gap(): void;
  ended(how: ConnectionEnd): void;
};

const HANDSHAKE_MS = 15_000;
const CALL_MS = 30_000;
/** After so many silent ticks the gateway counts as gone. */
const SILENT_TICKS = 2.5;

/** The close code for a silent gateway. */
export const ANSWER_LATE = 4000;
const HANDSHAKE_FAILED = 4008;

type PendingRequest = { resolve(payload: unknown): void; reject(error: CallError): void; timer: Timer };
type Timer = ReturnType<typeof setTimeout>;

export class Connection {
  private readonly pending = new Map<string, PendingRequest>();
  private lastRequestId = 0;
  private lastSeq: number | undefined;
  private silenceTimer: Timer | undefined;
  private silenceMs = HANDSHAKE_MS;
  private isClosed = false;
  private refusal: CallError | undefined;
  private challenged = false;

  /** `hello` is called once, when the gateway accepts the connection. */
  constructor(
    private readonly socket: WebSocket,
    private readonly device: Device,
    private readonly params: () => ConnectParams,
    private readonly hello: (hello: HelloOk) => void,
    private readonly handlers: SocketHandlers,
  ) {
    socket.onmessage = (message) => this.receive(message.data);
    socket.onclose = (close) => this.end({ code: close.code, reason: close.reason });
    this.restartSilenceTimer();
  }

  request(method: string, params: unknown, timeoutMs = CALL_MS): Promise<unknown> {
    if (this.isClosed || this.socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new CallError("DISCONNECTED", "There is no connection to the gateway.", undefined, true));
    }
    this.lastRequestId += 1;
    const id = `r${this.lastRequestId}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(new CallError("TIMEOUT", `The gateway did not answer ${method} in time.`, undefined, true));
      }, timeoutMs);
      this.pending.set(id, { resolve, reject, timer });
      this.socket.send(JSON.stringify({ type: "req", id, method, params } satisfies Frame));
    });
  }

  close(code = 1000, reason = ""): void {
    this.socket.close(code, reason);
    // A dead peer never answers the close frame: do not wait for it.
    this.end({ code, reason });
  }

  private receive(data: unknown): void {
    this.restartSilenceTimer();
    const frame = parseFrame(data);
    if (!frame) return;
    if (frame.type === "res") this.settleRequest(frame);
    else if (frame.type === "event") this.handleEvent(frame);
  }

  private settleRequest(frame: Frame & { type: "res" }): void {
    const waiting = this.pending.get(frame.id);
    if (!waiting) return;
    this.pending.delete(frame.id);
    clearTimeout(waiting.timer);
    if (frame.ok) waiting.resolve(frame.payload);
    else waiting.reject(CallError.fromShape(frame.error));
  }

  private handleEvent(frame: Frame & { type: "event" }): void {
    if (frame.event === "connect.challenge") {
      if (!this.challenged) void this.authenticate(frame.payload as Challenge);
      this.challenged = true;
      return;
    }
    if (frame.seq !== undefined) {
      const missed = this.lastSeq !== undefined && frame.seq > this.lastSeq + 1;
      this.lastSeq = frame.seq;
      if (missed) this.handlers.gap();
    }
    this.handlers.event(frame.event, frame.payload);
  }

  private async authenticate(challenge: Challenge): Promise<void> {
    try {
      const params = this.params();
      params.device = await signChallenge(this.device, params, challenge);
      const hello = (await this.request("connect", params, HANDSHAKE_MS)) as HelloOk;
      this.silenceMs = Math.max(1000, hello.policy.tickIntervalMs) * SILENT_TICKS;
      this.restartSilenceTimer();
      this.hello(hello);
    } catch (error) {
      if (error instanceof CallError && !error.isLost) this.refusal = error;
      this.close(HANDSHAKE_FAILED, "connect failed");
    }
  }

  private restartSilenceTimer(): void {
    clearTimeout(this.silenceTimer);
    if (!this.isClosed) this.silenceTimer = setTimeout(() => this.close(ANSWER_LATE, "the gateway is silent"), this.silenceMs);
  }

  private end(how: ConnectionEnd): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.silenceTimer);
    for (const { reject, timer } of this.pending.values()) {
      clearTimeout(timer);
      reject(new CallError("DISCONNECTED", "The connection to the gateway ended.", undefined, true));
    }
    this.pending.clear();
    this.handlers.ended(this.refusal ? { ...how, refusal: this.refusal } : how);
  }
}

function parseFrame(data: unknown): Frame | undefined {
  if (typeof data !== "string") return undefined;
  try {
    const frame: unknown = JSON.parse(data);
    return typeof frame === "object" && frame !== null && "type" in frame ? (frame as Frame) : undefined;
  } catch {
    return undefined;
  }
}
