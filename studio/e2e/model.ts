// A scripted language model: an OpenAI-compatible streaming server on loopback.
// Replies come in the scripted order; a gate holds a stream until the test opens it.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "./harness/gateway";

/** Holds a stream at this point of a script. */
export class Gate {
  /** Resolves when the model reaches the gate. */
  readonly reached: Promise<void>;
  private readonly opened: Promise<void>;
  private reach!: () => void;
  private let!: () => void;

  constructor() {
    this.reached = new Promise((done) => (this.reach = done));
    this.opened = new Promise((done) => (this.let = done));
  }

  open(): void {
    this.let();
  }

  /** Called by the model at the gate. */
  pass(): Promise<void> {
    this.reach();
    return this.opened;
  }
}

/** One step of an answer. */
export type ScriptStep =
  | string
  | Gate
  | { tool: string; arguments: Json; id?: string }
  /** Drops the connection in the middle of the stream. */
  | { cut: true }
  /** Refuses the request; only as the first step. 4xx is not retried. */
  | { status: number; message: string };

export type ModelRequest = { model: string; messages: { role: string; content: unknown }[]; [more: string]: unknown };

export class Model {
  /** Every request, as received. */
  readonly requests: ModelRequest[] = [];
  private readonly script: ScriptStep[][] = [];
  private readonly gates = new Set<Gate>();
  // A kept-alive connection is never closed just as a request arrives.
  private readonly server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    this.serve(request, response).catch(() => response.destroy());
  });
  private calls = 0;

  static async start(): Promise<Model> {
    const model = new Model();
    await new Promise<void>((ready) => model.server.listen(0, "127.0.0.1", ready));
    return model;
  }

  /** Scripts the next reply; each text is one delta. */
  reply(...what: ScriptStep[]): this {
    what.forEach((say, at) => shownBefore(what[at + 1], say));
    this.script.push(what);
    for (const say of what) if (say instanceof Gate) this.gates.add(say);
    return this;
  }

  /** The configuration that makes it the model of every agent. */
  get config(): Json {
    const { port } = this.server.address() as AddressInfo;
    const model = { id: "scripted", name: "Scripted", contextWindow: 200_000, cost: { input: 1, output: 2 } };
    const provider = { baseUrl: `http://127.0.0.1:${port}/v1`, api: "openai-completions", apiKey: "test-key", models: [model] };
    return {
      agents: { defaults: { model: "cellar/scripted" } },
      models: { providers: { cellar: provider } },
    };
  }

  async stop(): Promise<void> {
    for (const gate of this.gates) gate.open();
    const over = new Promise<void>((done) => this.server.close(() => done()));
    this.server.closeAllConnections();
    await over;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }] }));
      return;
    }
    const asked = JSON.parse(await bodyOf(request)) as ModelRequest;
    this.requests.push(asked);
    await this.answer(this.script.shift() ?? ["All right."], response);
  }

  private async answer(script: ScriptStep[], response: ServerResponse): Promise<void> {
    const [first] = script;
    if (typeof first === "object" && "status" in first) {
      response.writeHead(first.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: first.message, type: "scripted" } }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    const send = (choice: Json, more: Json = {}) => {
      const chunk = { id: "c", object: "chat.completion.chunk", created: 0, model: "scripted", choices: [{ index: 0, ...choice }], ...more };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    let tools = 0;
    for (const say of script) {
      if (typeof say === "string") send({ delta: { role: "assistant", content: say }, finish_reason: null });
      else if (say instanceof Gate) await say.pass();
      else if ("cut" in say) return void response.destroy();
      else if ("tool" in say) {
        send({ delta: { tool_calls: [this.toolCall(say, tools)] }, finish_reason: null });
        tools += 1;
      }
    }
    const usage = { prompt_tokens: 1200, completion_tokens: 80, total_tokens: 1280 };
    send({ delta: {}, finish_reason: tools ? "tool_calls" : "stop" }, { usage });
    response.end("data: [DONE]\n\n");
  }

  private toolCall(say: { tool: string; arguments: Json; id?: string }, index: number): Json {
    this.calls += 1;
    const id = say.id ?? `call_${this.calls}`;
    return { index, id, type: "function", function: { name: say.tool, arguments: JSON.stringify(say.arguments) } };
  }
}

/**
 * The gateway holds back the end of a text while it may be the beginning of a secret, and its token may begin with
 * any letter: text that must be visible at a gate ends with a character that no token contains.
 */
function shownBefore(next: ScriptStep | undefined, say: ScriptStep): void {
  if (next instanceof Gate && typeof say === "string" && /[\w-]\s*$/.test(say)) {
    throw new Error(`"${say}" ends with a letter before a gate: the gateway may not show all of it`);
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
