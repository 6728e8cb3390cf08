// One connection to the gateway: challenge, hello, requests with their answers, events with their numbers.
// Promises: every request is settled, by an answer, a time-out or the end of the connection; a gap is noticed.
// Leaves to others: connecting again, and what to show meanwhile.
import type { Challenge, ConnectParams, Frame, HelloOk } from "../generated/protocol";
import { type Device, prove } from "./device";
import { CallError } from "./failure";

/** How a connection ended. */
export type Ended = { code: number; reason: string; refusal?: CallError };

export type Told = {
  event(name: string, payload: unknown): void;
  /** Events were missed: what is known may be out of date. */
  gap(): void;
  ended(how: Ended): void;
};

const HANDSHAKE_MS = 15_000;
const CALL_MS = 30_000;
/** Without a word for so many ticks the gateway is gone. */
const SILENT_TICKS = 2.5;

/** The gateway has said nothing for too long. */
export const ANSWER_LATE = 4000;
const HANDSHAKE_FAILED = 4008;

type Waiting = { resolve(payload: unknown): void; reject(error: CallError): void; timer: Timer };
type Timer = ReturnType<typeof setTimeout>;

export class Connection {
  private readonly waiting = new Map<string, Waiting>();
  private counter = 0;
  private lastSeq: number | undefined;
  private silence: Timer | undefined;
  private silenceMs = HANDSHAKE_MS;
  private over = false;
  private refusal: CallError | undefined;
  private challenged = false;

  /** Opens it. `hello` is called once, when the gateway has let us in. */
  constructor(
    private readonly socket: WebSocket,
    private readonly device: Device,
    private readonly params: () => ConnectParams,
    private readonly hello: (hello: HelloOk) => void,
    private readonly told: Told,
  ) {
    socket.onmessage = (message) => this.received(message.data);
    socket.onclose = (close) => this.end({ code: close.code, reason: close.reason });
    this.listen();
  }

  request(method: string, params: unknown, timeoutMs = CALL_MS): Promise<unknown> {
    if (this.over || this.socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new CallError("DISCONNECTED", "There is no connection to the gateway.", undefined, true));
    }
    this.counter += 1;
    const id = `r${this.counter}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new CallError("TIMEOUT", `The gateway did not answer ${method} in time.`, undefined, true));
      }, timeoutMs);
      this.waiting.set(id, { resolve, reject, timer });
      this.socket.send(JSON.stringify({ type: "req", id, method, params } satisfies Frame));
    });
  }

  close(code = 1000, reason = ""): void {
    this.socket.close(code, reason);
    // A dead peer answers no goodbye: nobody waits for it.
    this.end({ code, reason });
  }

  private received(data: unknown): void {
    this.listen();
    const frame = parsed(data);
    if (!frame) return;
    if (frame.type === "res") this.answered(frame);
    else if (frame.type === "event") this.happened(frame);
  }

  private answered(frame: Frame & { type: "res" }): void {
    const waiting = this.waiting.get(frame.id);
    if (!waiting) return;
    this.waiting.delete(frame.id);
    clearTimeout(waiting.timer);
    if (frame.ok) waiting.resolve(frame.payload);
    else waiting.reject(CallError.of(frame.error));
  }

  private happened(frame: Frame & { type: "event" }): void {
    if (frame.event === "connect.challenge") {
      if (!this.challenged) void this.introduce(frame.payload as Challenge);
      this.challenged = true;
      return;
    }
    if (frame.seq !== undefined) {
      const missed = this.lastSeq !== undefined && frame.seq > this.lastSeq + 1;
      this.lastSeq = frame.seq;
      if (missed) this.told.gap();
    }
    this.told.event(frame.event, frame.payload);
  }

  private async introduce(challenge: Challenge): Promise<void> {
    try {
      const params = this.params();
      params.device = await prove(this.device, params, challenge);
      const hello = (await this.request("connect", params, HANDSHAKE_MS)) as HelloOk;
      this.silenceMs = Math.max(1000, hello.policy.tickIntervalMs) * SILENT_TICKS;
      this.listen();
      this.hello(hello);
    } catch (error) {
      if (error instanceof CallError && !error.isLost) this.refusal = error;
      this.close(HANDSHAKE_FAILED, "connect failed");
    }
  }

  /** Starts to wait for the next word. */
  private listen(): void {
    clearTimeout(this.silence);
    if (!this.over) this.silence = setTimeout(() => this.close(ANSWER_LATE, "the gateway is silent"), this.silenceMs);
  }

  private end(how: Ended): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.silence);
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer);
      reject(new CallError("DISCONNECTED", "The connection to the gateway ended.", undefined, true));
    }
    this.waiting.clear();
    this.told.ended(this.refusal ? { ...how, refusal: this.refusal } : how);
  }
}

function parsed(data: unknown): Frame | undefined {
  if (typeof data !== "string") return undefined;
  try {
    const frame: unknown = JSON.parse(data);
    return typeof frame === "object" && frame !== null && "type" in frame ? (frame as Frame) : undefined;
  } catch {
    return undefined;
  }
}
