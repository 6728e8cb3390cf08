// One open session: reads its pages, follows its events, sends what is said, and keeps the transcript up to date.
// Promises: after each new connection it reads on where it stopped, asks how open runs stand, and sends again what the
// gateway has not acknowledged, under the same key; bursts of words are put together, one change a frame.
import { type Signal, computed, effect, signal, untracked } from "@preact/signals";
import type { ModelChoice, NoAnswer, SessionEntry } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { on } from "../../gateway/events";
import { type CallError, asCallError } from "../../gateway/failure";
import { epoch, link } from "../../gateway/link";
import { noteWork } from "./activity";
import { type Attached, sentAs } from "./attach";
import { keepOutbox, keptOutbox } from "./kept";
import { type Change, type Transcript, changed, isEnd, nothing } from "./transcript";

const PAGE = 100;
/** So many of the last messages of a person are asked for: an earlier one was answered long ago. */
const ASKED_AFTER = 5;
/** Pages that are read on after a lost connection; a longer gap is read anew from its end. */
const MOST_PAGES = 50;

/** What is known of the session beside its transcript; `tokens` is all that it has taken. */
export type About = { entry: SessionEntry | undefined; defaults: ModelChoice; tokens: number };

/** A run that has ended, for whoever tells of it: what was said last, or why there is nothing. */
export type Ended = { runId: string; state: "final" | "aborted" | "error"; text: string; noAnswer: NoAnswer | undefined };

export class Conversation {
  readonly state: Signal<Transcript>;
  readonly about = signal<About | undefined>(undefined);
  /** Why the transcript could not be read. */
  readonly failed = signal<CallError | undefined>(undefined);
  readonly readsOlder = signal(false);
  readonly ended = signal<Ended | undefined>(undefined);

  private readonly endings: (() => void)[];
  private readonly pending = new Map<string, Change>();
  private frame = 0;
  private reading: Promise<void> | undefined;
  private wanted = false;
  private closed = false;
  /** The key as the gateway writes it, once it has answered. */
  private written: string;

  constructor(readonly key: string) {
    this.written = key;
    this.state = signal({ ...nothing, outbox: keptOutbox(key) });
    const outbox = computed(() => this.state.value.outbox);
    this.endings = [
      on("session.message", (told) => this.isOurs(told.sessionKey) && this.apply({ type: "written", told })),
      on("chat", (told) => {
        if (!this.isOurs(told.sessionKey)) return;
        if (told.state === "delta") return this.soon(`chat ${told.runId}`, { type: "chat", told });
        this.apply({ type: "chat", told });
        if (!isEnd(told.state)) return;
        this.ended.value = { runId: told.runId, state: told.state, text: told.errorMessage ?? textIn(told.message), noAnswer: told.noAnswer };
        // A command may have begun the session anew, or given it another model.
        void this.read();
      }),
      on("agent", (told) => {
        // What is said comes by `chat` as well.
        if (!this.isOurs(told.sessionKey) || told.stream === "assistant") return;
        if (told.stream === "thinking") return this.soon(`thinking ${told.runId}`, { type: "agent", told });
        this.apply({ type: "agent", told });
      }),
      effect(() => {
        if (link.value.state !== "ready" || epoch.value < 0) return;
        untracked(() => {
          this.apply({ type: "lost" });
          void this.read();
        });
      }),
      effect(() => void keepOutbox(this.key, outbox.value)),
    ];
  }

  close(): void {
    this.closed = true;
    cancelFrame(this.frame);
    for (const end of this.endings) end();
  }

  /** Says something. It is shown at once, and sent as soon as there is a connection. */
  say(text: string, files: readonly Attached[] = []): void {
    const key = crypto.randomUUID();
    this.apply({ type: "sending", key, text, files, at: Date.now() });
    void this.deliver(key);
  }

  /** Sends a message again that was refused, under the same key. */
  sayAgain(key: string): void {
    const { text, at } = this.state.peek().outbox.find((one) => one.key === key) ?? {};
    if (text === undefined || at === undefined) return;
    this.apply({ type: "sending", key, text, at });
    void this.deliver(key);
  }

  /** Forgets a message that was refused. */
  withdraw(key: string): void {
    this.apply({ type: "withdrawn", key });
  }

  /** Calls off what is answered here, and what waits. */
  async stop(): Promise<void> {
    await call("chat.abort", { sessionKey: this.key });
  }

  /** Begins the session anew; what was said is kept by the gateway. */
  async reset(): Promise<void> {
    const { entry } = await call("sessions.reset", { key: this.key });
    this.apply({ type: "anew", sessionId: entry.sessionId });
    void this.read();
  }

  /** Changes what the session sets for itself. */
  async set(change: { model?: string | null; thinkingLevel?: SessionEntry["thinkingLevel"] | null }): Promise<void> {
    const { entry } = await call("sessions.patch", { key: this.key, ...change } as Parameters<typeof call<"sessions.patch">>[1]);
    this.about.value = { entry, defaults: this.about.peek()?.defaults ?? {}, tokens: this.about.peek()?.tokens ?? 0 };
  }

  /** Reads the page before the oldest one. */
  async readOlder(): Promise<void> {
    const { items, hasOlder, generation } = this.state.peek();
    const oldest = items[0]?.number;
    if (!hasOlder || oldest === undefined || this.readsOlder.peek()) return;
    this.readsOlder.value = true;
    try {
      const page = await call("chat.history", { sessionKey: this.key, limit: PAGE, before: oldest });
      this.apply({ type: "page", from: "before", generation, page });
    } catch (thrown) {
      const error = asCallError(thrown);
      if (!error.isLost) this.failed.value = error;
    } finally {
      this.readsOlder.value = false;
    }
  }

  /** Reads what is missing, then sees to open runs and to what was not sent. */
  read(): Promise<void> {
    this.wanted = true;
    this.reading ??= this.readOn().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readOn(): Promise<void> {
    while (this.wanted && !this.closed) {
      this.wanted = false;
      try {
        for (let pages = 0; (await this.readPage(pages >= MOST_PAGES)) && !this.closed; pages += 1);
        this.failed.value = undefined;
        await this.askAfterRuns();
      } catch (thrown) {
        const error = asCallError(thrown);
        // The next connection reads again.
        if (error.code !== "DISCONNECTED") this.failed.value = error;
      }
    }
    for (const { key, state } of this.state.peek().outbox) if (state === "sending") void this.deliver(key);
  }

  /** Reads one page. True when there is more to read. */
  private async readPage(fromItsEnd: boolean): Promise<boolean> {
    const { isLoaded, mustBeginAnew, through, generation } = this.state.peek();
    const from = !isLoaded || mustBeginAnew || fromItsEnd ? "newest" : "after";
    const page = await call("chat.history", { sessionKey: this.key, limit: PAGE, ...(from === "after" && { after: through }) });
    if (this.closed) return false;
    this.written = page.sessionKey;
    this.about.value = { entry: page.sessionInfo ?? undefined, defaults: page.defaults, tokens: page.totalTokens };
    this.apply({ type: "page", from, generation, page });
    const now = this.state.peek();
    return now.mustBeginAnew || (from === "after" && page.hasMore);
  }

  /** Runs that may go on: those that are known, and those of the last messages of a person. */
  private async askAfterRuns(): Promise<void> {
    const { runs, items, over } = this.state.peek();
    const said = items.slice(-2 * PAGE).filter(({ role, runId }) => role === "user" && runId && !over.includes(runId)).slice(-ASKED_AFTER);
    const ids = new Set([...runs.map(({ id }) => id), ...said.map(({ runId }) => runId ?? "")]);
    await Promise.all([...ids].map((runId) => this.askAfter(runId)));
  }

  private async askAfter(runId: string): Promise<void> {
    try {
      const { status, startedAt } = await call("agent.wait", { runId, timeoutMs: 0 });
      this.apply({ type: "standing", runId, isOver: status !== "timeout", since: startedAt });
      if (status === "timeout") noteWork(runId, this.written, startedAt);
    } catch (thrown) {
      // A run that the gateway does not know is none.
      if (!asCallError(thrown).isLost) this.apply({ type: "standing", runId, isOver: true });
    }
  }

  private async deliver(key: string): Promise<void> {
    const outgoing = this.state.peek().outbox.find((one) => one.key === key);
    if (!outgoing || link.peek().state !== "ready") return;
    try {
      const attachments = outgoing.files?.map(sentAs);
      const { status } = await call("chat.send", { sessionKey: this.key, message: outgoing.text, idempotencyKey: key, ...(attachments && { attachments }) });
      const isOver = status === "ok" || status === "error";
      this.apply({ type: "sent", key, isOver });
      if (isOver) void this.read();
    } catch (thrown) {
      const error = asCallError(thrown);
      if (error.code !== "DISCONNECTED") this.apply({ type: "refused", key, reason: error.message, code: error.reason ?? error.code });
    }
  }

  private isOurs(key: string): boolean {
    return key === this.key || key === this.written;
  }

  private apply(change: Change): void {
    if (this.closed) return;
    this.flush();
    this.state.value = changed(this.state.peek(), change);
  }

  /** Of what only says how far something is, the newest counts; it is taken over with the next frame. */
  private soon(name: string, change: Change): void {
    this.pending.set(name, change);
    this.frame ||= nextFrame(() => this.flush());
  }

  private flush(): void {
    cancelFrame(this.frame);
    this.frame = 0;
    if (this.pending.size === 0) return;
    const changes = [...this.pending.values()];
    this.pending.clear();
    this.state.value = changes.reduce(changed, this.state.peek());
  }
}

const textIn = (message: { content: readonly { type: string }[] } | undefined): string =>
  (message?.content ?? []).map((block) => ("text" in block && typeof block.text === "string" ? block.text : "")).join("\n");

const nextFrame = (act: () => void): number => requestAnimationFrame(act);
const cancelFrame = (frame: number): void => {
  if (frame) cancelAnimationFrame(frame);
};
