// A second client of the gateway, with the shared token, like the command line.
// Every call settles; a refusal is an error with its code. Events are ignored.
import WebSocket from "ws";
import type { ErrorShape, Frame } from "../../src/generated/protocol";

const CALL_MS = 20_000;
const SCOPES = ["operator.read", "operator.write", "operator.admin", "operator.approvals", "operator.pairing"];

type Waiting = { resolve(payload: unknown): void; reject(error: Error): void };

export class Client {
  private readonly waiting = new Map<string, Waiting>();
  private counter = 0;

  private constructor(private readonly socket: WebSocket) {}

  static async connect(origin: string, token: string): Promise<Client> {
    const socket = new WebSocket(`${origin.replace(/^http/, "ws")}/ws`);
    const client = new Client(socket);
    const challenged = new Promise<void>((resolve, reject) => {
      socket.on("message", (bytes: Buffer) => client.received(JSON.parse(bytes.toString()) as Frame, resolve));
      socket.once("error", reject);
      socket.on("close", (code) => {
        const error = new Error(`the gateway closed the second client's connection: ${code}`);
        reject(error);
        for (const { reject: end } of client.waiting.values()) end(error);
      });
    });
    await challenged;
    await client.call("connect", {
      minProtocol: 4,
      maxProtocol: 4,
      client: { id: "cli", version: "0", platform: process.platform, mode: "cli" },
      role: "operator",
      scopes: SCOPES,
      auth: { token },
    });
    return client;
  }

  call(method: string, params: unknown): Promise<unknown> {
    this.counter += 1;
    const id = `s${this.counter}`;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the gateway did not answer ${method}`)), CALL_MS);
      const settle = <T>(act: (value: T) => void) => (value: T) => {
        clearTimeout(late);
        this.waiting.delete(id);
        act(value);
      };
      this.waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.socket.send(JSON.stringify({ type: "req", id, method, params }));
    });
  }

  close(): void {
    this.socket.removeAllListeners("close");
    this.socket.close();
  }

  private received(frame: Frame, challenged: () => void): void {
    if (frame.type === "event" && frame.event === "connect.challenge") challenged();
    if (frame.type !== "res") return;
    const waiting = this.waiting.get(frame.id);
    if (frame.ok) waiting?.resolve(frame.payload);
    else waiting?.reject(refusal(frame.error));
  }
}

function refusal({ code, message, details }: ErrorShape): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code, details });
}
