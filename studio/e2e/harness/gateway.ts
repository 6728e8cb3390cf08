// A real gateway for one test, with its own folders and port.
// Reads and changes nothing of this machine's own set-up; removes process and folders afterwards.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Methods } from "../../src/generated/protocol";
import { Client } from "./client";

const STUDIO = resolve(import.meta.dirname, "../..");
const BINARY = process.env["TARSUS_BINARY"] ?? resolve(STUDIO, "../target/debug/tarsus");
const START_MS = 20_000;
/** On shutdown a running turn gets ten seconds, and clients five. */
const STOP_MS = 20_000;
const PRINTED = /Studio\s+(http:\/\/127\.0\.0\.1:(\d+))\/\s+(?:token in (\S+)|#token=)/;

export type Json = { [key: string]: unknown };

export type Prepared = {
  demo?: boolean;
  /** Part of every configuration. */
  always?: Json;
  /** Called before each planned stop. */
  beforeDown?: () => void;
  /** The path of the home folder, for screenshots; it must not exist yet, and is removed at the end. */
  home?: string;
};

export class Gateway {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  origin = "";
  port = 0;
  token = "";
  private process: ChildProcess | undefined;
  private second: Client | undefined;
  private printed = "";
  private stateDir = "";

  private constructor(
    /** Everything of this gateway is below this folder. */
    private readonly folder: string,
    /** The home folder that the gateway sees. */
    readonly home: string,
    private readonly isDemo: boolean,
    /** Part of every configuration of this gateway, such as its model. */
    private readonly always: Json,
    private readonly beforeDown: () => void,
  ) {
    this.stateDir = join(home, ".openclaw");
  }

  /** Creates the folders without starting the gateway. */
  static async prepare(options: Prepared = {}): Promise<Gateway> {
    if (!existsSync(BINARY)) throw new Error(`${BINARY} is not there: build it, or name one in TARSUS_BINARY`);
    const { demo = false, always = {}, beforeDown = () => {} } = options;
    // Creating an existing folder fails: it belongs to somebody.
    if (options.home) await mkdir(options.home);
    const folder = options.home ?? (await mkdtemp(join(tmpdir(), "studio-e2e-")));
    const gateway = new Gateway(folder, options.home ?? join(folder, "home"), demo, always, beforeDown);
    await mkdir(gateway.home, { recursive: true });
    if (!demo) await gateway.writeConfig({});
    return gateway;
  }

  /** The address that opens the page for the first time; `path` begins with a slash. */
  link(path = "/"): string {
    return `${this.origin}${path}#token=${encodeURIComponent(this.token)}`;
  }

  /** The state folder. */
  get files(): { state: string; workspace: string; config: string; registry: string; home: string } {
    const state = this.stateDir;
    return {
      state,
      workspace: join(state, "workspace"),
      config: join(state, "openclaw.json"),
      registry: join(state, "registries", "application_registry.json"),
      home: this.home,
    };
  }

  async start(): Promise<void> {
    if (this.process) throw new Error("the gateway runs already");
    const own = this.isDemo ? [] : ["--state-dir", this.stateDir];
    const started = spawn(BINARY, [...own, "up", ...(this.isDemo ? ["--demo"] : []), "--port", String(this.port)], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], TMPDIR: tmpdir(), HOME: this.home, LANG: "en_US.UTF-8", NO_COLOR: "1" },
    });
    this.process = started;
    this.printed = "";
    const [, origin = "", port, tokenFile] = await this.untilReady(started);
    this.origin = origin;
    this.port = Number(port);
    if (!tokenFile) throw new Error(`no token file in what the gateway printed:\n${this.printed}`);
    const file = tokenFile.replace(/^~/, this.home);
    this.stateDir = dirname(dirname(file));
    this.token = (await readFile(file, "utf8")).trim();
  }

  /** Stops it cleanly. */
  async stop(): Promise<void> {
    await this.end("SIGTERM");
  }

  /** Kills it, like a power cut. */
  async kill(): Promise<void> {
    await this.end("SIGKILL");
  }

  /** Stops it and starts it again with the same port and files. */
  async restart(options: { kill?: boolean } = {}): Promise<void> {
    if (this.isDemo) throw new Error("a demo keeps no files: it cannot be restarted");
    await this.end(options.kill ? "SIGKILL" : "SIGTERM");
    await this.start();
  }

  /** Calls it as another client, to set up or to compare. */
  async call<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["result"]> {
    this.second ??= await Client.connect(this.origin, this.token);
    return (await this.second.call(method, params)) as Methods[M]["result"];
  }

  /** Writes the configuration; the required part, such as the model, stays in it. */
  async writeConfig(config: Json): Promise<void> {
    await this.writeFile(this.files.config, JSON.stringify(merged(this.always, config), null, 2));
  }

  /** Writes a skill into the workspace; `text` is the whole SKILL.md. */
  async writeSkill(name: string, text: string): Promise<void> {
    await this.writeFile(join(this.files.workspace, "skills", name, "SKILL.md"), text);
  }

  /** Writes a file atomically, below the state folder or at an absolute path. */
  async writeFile(path: string, text: string): Promise<void> {
    const full = resolve(this.stateDir, path);
    await mkdir(dirname(full), { recursive: true });
    const whole = join(this.folder, `.${randomUUID()}`);
    await writeFile(whole, text);
    await rename(whole, full);
  }

  /** Stops it and removes its folders. */
  async remove(): Promise<void> {
    // Only a demo cleans up by itself.
    await this.end(this.isDemo ? "SIGTERM" : "SIGKILL");
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    this.second?.close();
    this.second = undefined;
    const ending = this.process;
    this.process = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    this.beforeDown();
    const over = new Promise<void>((done) => ending.once("exit", () => done()));
    ending.kill(signal);
    const late = setTimeout(() => ending.kill("SIGKILL"), STOP_MS);
    await over;
    clearTimeout(late);
  }

  private untilReady(started: ChildProcess): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${why}:\n${this.printed}`));
      const late = setTimeout(() => {
        started.kill("SIGKILL");
        fail(`the gateway was not ready within ${START_MS} ms`);
      }, START_MS);
      const heard = (bytes: Buffer) => {
        this.printed += bytes.toString();
        const found = /^ready in /m.test(this.printed) && PRINTED.exec(this.printed);
        if (!found) return;
        clearTimeout(late);
        resolve(found);
      };
      started.stdout?.on("data", heard);
      started.stderr?.on("data", heard);
      started.once("error", (error) => fail(String(error)));
      started.once("exit", (code) => {
        clearTimeout(late);
        fail(`the gateway ended with ${code}`);
      });
    });
  }
}

/** Merges two configurations; the second wins, and lists are replaced. */
export function merged(under: Json, over: Json): Json {
  const isMap = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
  const all = Object.entries(over).map(([key, value]) => {
    const below = under[key];
    return [key, isMap(value) && isMap(below) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(all) };
}
