// One open session: loads pages, follows events, sends messages, and keeps the transcript up to date.
// On each new connection it loads what is missing, checks open runs, and sends unacknowledged messages again under the
// same key. Streamed text is applied once per frame.
import { type Signal, computed, effect, signal, untracked } from "@preact/signals";
import type { ModelChoice, NoAnswer, SessionEntry } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { on } from "../../gateway/events";
import { type CallError, asCallError } from "../../gateway/failure";
import { epoch, link } from "../../gateway/link";
import { addWork } from "./activity";
import { type Attachment, toChatAttachment } from "./attachments";
import { ChangedFiles } from "./changes";
import { saveOutbox, loadOutbox } from "./storage";
import { type TranscriptChange, type Transcript, applyChange, isEnd, emptyTranscript } from "./transcript";

const PAGE = 100;
/** Only the runs of the last messages can still be open. */
const MAX_CHECKED_RUNS = 5;
/** Pages loaded after a lost connection; a longer gap is loaded from its end instead. */
const MAX_PAGES = 50;

/** The session besides its transcript; `tokens` is its total usage. */
export type SessionInfo = { entry: SessionEntry | undefined; defaults: ModelChoice; tokens: number };

/** A finished run for the announcer: its last text, or why there is no answer. */
export type FinishedRun = { runId: string; state: "final" | "aborted" | "error"; text: string; noAnswer: NoAnswer | undefined };

export class Conversation {
  readonly state: Signal<Transcript>;
  readonly info = signal<SessionInfo | undefined>(undefined);
  /** Why the transcript could not be loaded. */
  readonly failed = signal<CallError | undefined>(undefined);
  readonly isReadingOlder = signal(false);
  readonly finished = signal<FinishedRun | undefined>(undefined);
  readonly changes: ChangedFiles;

  private readonly unsubscribe: (() => void)[];
  private readonly pending = new Map<string, TranscriptChange>();
  private frame = 0;
  private reading: Promise<void> | undefined;
  private needsRead = false;
  private closed = false;
  /** The key as the gateway writes it, once known. */
  private canonicalKey: string;

  constructor(readonly key: string) {
    this.canonicalKey = key;
    this.state = signal({ ...emptyTranscript, outbox: loadOutbox(key) });
    this.changes = new ChangedFiles(key, (sessionKey) => this.isThisSession(sessionKey));
    const outbox = computed(() => this.state.value.outbox);
    this.unsubscribe = [
      on("session.message", (event) => this.isThisSession(event.sessionKey) && this.apply({ type: "appended", event })),
      on("chat", (event) => {
        if (!this.isThisSession(event.sessionKey)) return;
        if (event.state === "delta") return this.applyNextFrame(`chat ${event.runId}`, { type: "chat", event });
        this.apply({ type: "chat", event });
        if (!isEnd(event.state)) return;
        this.finished.value = { runId: event.runId, state: event.state, text: event.errorMessage ?? textIn(event.message), noAnswer: event.noAnswer };
        // A command may have reset the session or changed its model.
        void this.read();
      }),
      on("agent", (event) => {
        // The text also comes as `chat` events.
        if (!this.isThisSession(event.sessionKey) || event.stream === "assistant") return;
        if (event.stream === "thinking") return this.applyNextFrame(`thinking ${event.runId}`, { type: "agent", event });
        this.apply({ type: "agent", event });
      }),
      effect(() => {
        if (link.value.state !== "ready" || epoch.value < 0) return;
        untracked(() => {
          this.apply({ type: "lost" });
          void this.read();
        });
      }),
      effect(() => void saveOutbox(this.key, outbox.value)),
    ];
  }

  close(): void {
    this.closed = true;
    cancelFrame(this.frame);
    this.changes.close();
    for (const end of this.unsubscribe) end();
  }

  /** Shown at once, and sent as soon as there is a connection. */
  send(text: string, files: readonly Attachment[] = []): void {
    const key = crypto.randomUUID();
    this.apply({ type: "sending", key, text, files, at: Date.now() });
    void this.deliver(key);
  }

  /** Sends a refused message again, under the same key. */
  resend(key: string): void {
    const { text, at } = this.state.peek().outbox.find((one) => one.key === key) ?? {};
    if (text === undefined || at === undefined) return;
    this.apply({ type: "sending", key, text, at });
    void this.deliver(key);
  }

  /** Removes a refused message. */
  withdraw(key: string): void {
    this.apply({ type: "withdrawn", key });
  }

  /** Aborts the current run and waiting ones. */
  async stop(): Promise<void> {
    await call("chat.abort", { sessionKey: this.key });
  }

  /** Starts the session anew; the gateway keeps the old transcript. */
  async reset(): Promise<void> {
    const { entry } = await call("sessions.reset", { key: this.key });
    this.apply({ type: "reset", sessionId: entry.sessionId });
    void this.read();
  }

  /** Changes the session's own settings. */
  async set(change: { model?: string | null; thinkingLevel?: SessionEntry["thinkingLevel"] | null }): Promise<void> {
    const { entry } = await call("sessions.patch", { key: this.key, ...change } as Parameters<typeof call<"sessions.patch">>[1]);
    this.info.value = { entry, defaults: this.info.peek()?.defaults ?? {}, tokens: this.info.peek()?.tokens ?? 0 };
  }

  /** Loads the page before the oldest item. */
  async readOlder(): Promise<void> {
    const { items, hasOlder, generation } = this.state.peek();
    const oldest = items[0]?.number;
    if (!hasOlder || oldest === undefined || this.isReadingOlder.peek()) return;
    this.isReadingOlder.value = true;
    try {
      const page = await call("chat.history", { sessionKey: this.key, limit: PAGE, before: oldest });
      this.apply({ type: "page", from: "before", generation, page });
    } catch (thrown) {
      const error = asCallError(thrown);
      if (!error.isLost) this.failed.value = error;
    } finally {
      this.isReadingOlder.value = false;
    }
  }

  /** Loads what is missing, then checks open runs and sends what is unsent. */
  read(): Promise<void> {
    this.needsRead = true;
    this.reading ??= this.readMissing().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readMissing(): Promise<void> {
    while (this.needsRead && !this.closed) {
      this.needsRead = false;
      try {
        for (let pages = 0; (await this.readPage(pages >= MAX_PAGES)) && !this.closed; pages += 1);
        this.failed.value = undefined;
        await this.checkRuns();
      } catch (thrown) {
        const error = asCallError(thrown);
        // The next connection loads again.
        if (error.code !== "DISCONNECTED") this.failed.value = error;
      }
    }
    for (const { key, state } of this.state.peek().outbox) if (state === "sending") void this.deliver(key);
  }

  /** Loads one page. True if there is more. */
  private async readPage(fromItsEnd: boolean): Promise<boolean> {
    const { isLoaded, mustReload: mustBeginAnew, through, generation } = this.state.peek();
    const from = !isLoaded || mustBeginAnew || fromItsEnd ? "newest" : "after";
    const page = await call("chat.history", { sessionKey: this.key, limit: PAGE, ...(from === "after" && { after: through }) });
    if (this.closed) return false;
    this.canonicalKey = page.sessionKey;
    const isShownOtherwise = from === "after" && shownBy(page.sessionInfo) !== shownBy(this.info.peek()?.entry);
    this.info.value = { entry: page.sessionInfo ?? undefined, defaults: page.defaults, tokens: page.totalTokens };
    this.apply({ type: "page", from, generation, page });
    if (isShownOtherwise) this.apply({ type: "visibility" });
    const now = this.state.peek();
    return now.mustReload || (from === "after" && page.hasMore);
  }

  /** Runs that may be open: known ones, and those of the last user messages. */
  private async checkRuns(): Promise<void> {
    const { runs, items, finished } = this.state.peek();
    const recent = items.slice(-2 * PAGE).filter(({ role, runId }) => role === "user" && runId && !finished.includes(runId)).slice(-MAX_CHECKED_RUNS);
    const ids = new Set([...runs.map(({ id }) => id), ...recent.map(({ runId }) => runId ?? "")]);
    await Promise.all([...ids].map((runId) => this.checkRun(runId)));
  }

  private async checkRun(runId: string): Promise<void> {
    try {
      const { status, startedAt } = await call("agent.wait", { runId, timeoutMs: 0 });
      this.apply({ type: "run-state", runId, isOver: status !== "timeout", since: startedAt });
      if (status === "timeout") addWork(runId, this.canonicalKey, startedAt);
    } catch (thrown) {
      // A run unknown to the gateway is not open.
      if (!asCallError(thrown).isLost) this.apply({ type: "run-state", runId, isOver: true });
    }
  }

  private async deliver(key: string): Promise<void> {
    const outgoing = this.state.peek().outbox.find((one) => one.key === key);
    if (!outgoing || link.peek().state !== "ready") return;
    try {
      const attachments = outgoing.files?.map(toChatAttachment);
      const { status } = await call("chat.send", { sessionKey: this.key, message: outgoing.text, idempotencyKey: key, ...(attachments && { attachments }) });
      const isOver = status === "ok" || status === "error";
      this.apply({ type: "sent", key, isOver });
      if (isOver) void this.read();
    } catch (thrown) {
      const error = asCallError(thrown);
      if (error.code !== "DISCONNECTED") this.apply({ type: "refused", key, reason: error.message, code: error.reason ?? error.code });
    }
  }

  private isThisSession(key: string): boolean {
    return key === this.key || key === this.canonicalKey;
  }

  private apply(change: TranscriptChange): void {
    if (this.closed) return;
    this.flush();
    this.state.value = applyChange(this.state.peek(), change);
  }

  /** Coalesces: only the newest progress of each kind is applied, with the next frame. */
  private applyNextFrame(name: string, change: TranscriptChange): void {
    this.pending.set(name, change);
    this.frame ||= nextFrame(() => this.flush());
  }

  private flush(): void {
    cancelFrame(this.frame);
    this.frame = 0;
    if (this.pending.size === 0) return;
    const changes = [...this.pending.values()];
    this.pending.clear();
    this.state.value = changes.reduce(applyChange, this.state.peek());
  }
}

/** What the session shows of reasoning and tool calls. */
const shownBy = (entry: SessionEntry | null | undefined): string => `${entry?.reasoningLevel ?? "off"} ${entry?.verboseLevel ?? ""}`;

const textIn = (message: { content: readonly { type: string }[] } | undefined): string =>
  (message?.content ?? []).map((block) => ("text" in block && typeof block.text === "string" ? block.text : "")).join("\n");

const nextFrame = (act: () => void): number => requestAnimationFrame(act);
const cancelFrame = (frame: number): void => {
  if (frame) cancelAnimationFrame(frame);
};
