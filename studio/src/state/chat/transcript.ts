// The known state of one conversation, as a pure function of pages, events and answers.
// In any order of pages and events, over any number of lost connections, each item is there once, by its number, and
// none is missing once `isSynced`; a sent message stays until the gateway has it.
import type { Agent, Chat, ChatHistory, HistoryItem, NoAnswer, SessionMessage, UsageUpdate } from "../../generated/protocol";
import type { Attachment } from "./attachments";

export type TranscriptItem = HistoryItem;

/** A run that is not known to be finished. */
export type OpenRun = {
  id: string;
  /** False while it waits behind another run. */
  isStarted: boolean;
  since?: number;
  /** The text of the message that is streaming. */
  text: string;
  thinking: string;
  /** Why the text streamed before was discarded. */
  retry?: string;
};

/** An unsent or unconfirmed message; its key is the id of its run. */
export type OutgoingMessage = {
  key: string;
  text: string;
  at: number;
  files?: readonly Attachment[];
  state: "sending" | "sent" | "refused";
  /** Why it was refused, with the error code. */
  reason?: string;
  code?: string;
};

export type CallTime = { began: number; ended?: number };

export type RunUsage = { runId: string; model: string; input: number; output: number; context: number };

export type Transcript = {
  /** `undefined` before the first page, `null` in an empty session. */
  sessionId: string | null | undefined;
  items: readonly TranscriptItem[];
  hasOlder: boolean;
  isLoaded: boolean;
  /** Every item up to this number is here. */
  through: number;
  /** Nothing is missing after `through`. */
  isSynced: boolean;
  /** Increases when something may have been missed: an older page does not complete the transcript. */
  generation: number;
  /** The session was reset elsewhere: load the newest page. */
  mustReload: boolean;
  runs: readonly OpenRun[];
  /** Finished runs; late events of them are ignored. */
  finished: readonly string[];
  outbox: readonly OutgoingMessage[];
  /** Start and end of tool calls, by `callKey`. */
  calls: Readonly<Record<string, CallTime>>;
  usage?: RunUsage;
  /** A failed run, until its remark is in the transcript. */
  failure?: { runId: string; reason: string; noAnswer?: NoAnswer | undefined };
};

export type TranscriptChange =
  | { type: "lost" }
  | { type: "page"; from: "newest" | "after" | "before"; generation: number; page: Pick<ChatHistory, "sessionId" | "messages" | "hasMore"> }
  | { type: "appended"; event: SessionMessage }
  | { type: "chat"; event: Chat }
  | { type: "agent"; event: Agent }
  /** The state of a run, as answered by the gateway. */
  | { type: "run-state"; runId: string; isOver: boolean; since?: number }
  | { type: "sending"; key: string; text: string; at: number; files?: readonly Attachment[] }
  | { type: "sent"; key: string; isOver: boolean }
  | { type: "refused"; key: string; reason: string; code: string }
  | { type: "withdrawn"; key: string }
  | { type: "reset"; sessionId: string }
  /** The session shows more or less of its messages than before. */
  | { type: "visibility" };

const MAX_FINISHED = 200;

export const emptyTranscript: Transcript = {
  sessionId: undefined,
  items: [],
  hasOlder: false,
  isLoaded: false,
  through: 0,
  isSynced: false,
  generation: 0,
  mustReload: false,
  runs: [],
  finished: [],
  outbox: [],
  calls: {},
};

export const callKey = (runId: string | undefined, callId: string): string => `${runId ?? ""} ${callId}`;

export function applyChange(now: Transcript, change: TranscriptChange): Transcript {
  switch (change.type) {
    case "lost":
      return { ...now, generation: now.generation + 1, isSynced: false };
    case "page":
      return withPage(now, change);
    case "appended":
      return withAppended(now, change.event);
    case "chat":
      return withChat(now, change.event);
    case "agent":
      return withAgent(now, change.event);
    case "run-state":
      return change.isOver ? withFinished(now, change.runId) : withRun(now, change.runId, sinceOf(change.since));
    case "sending":
      if (now.outbox.some(({ key }) => key === change.key)) return withOutgoing(now, change.key, { state: "sending" });
      return { ...now, outbox: [...now.outbox, outgoingOf(change)] };
    case "sent":
      if (change.isOver) return withFinished(now, change.key);
      return withRun(withOutgoing(now, change.key, { state: "sent" }), change.key, {});
    case "refused":
      return withOutgoing(now, change.key, { state: "refused", reason: change.reason, code: change.code });
    case "withdrawn":
      return { ...now, outbox: now.outbox.filter(({ key }) => key !== change.key) };
    case "reset":
      return restarted(now, change.sessionId);
    case "visibility":
      return { ...now, mustReload: true };
  }
}

function withPage(now: Transcript, { from, generation, page }: TranscriptChange & { type: "page" }): Transcript {
  const isAnother = Boolean(now.sessionId && page.sessionId !== now.sessionId);
  if (from !== "newest" && isAnother) return { ...now, mustReload: true };
  if (from === "before") {
    return { ...now, items: mergeItems(now.items, page.messages), hasOlder: page.hasMore };
  }
  if (from === "newest") {
    const last = page.messages.at(-1)?.number ?? now.through;
    const items = mergeItems(page.messages, now.items.filter((item) => item.number > last));
    const fresh = { ...now, items, hasOlder: page.hasMore, isLoaded: true, mustReload: false, sessionId: page.sessionId };
    return synced(withoutDelivered(fresh, page.messages), generation, last);
  }
  const items = mergeItems(now.items, page.messages);
  const through = Math.max(now.through, page.messages.at(-1)?.number ?? 0);
  const next = { ...now, items, through, sessionId: page.sessionId ?? now.sessionId };
  const fresh = withoutDelivered(next, page.messages);
  return page.hasMore ? fresh : synced(fresh, generation, through);
}

/** Nothing is missing any more, unless an event was missed after the page was requested. */
function synced(now: Transcript, generation: number, through: number): Transcript {
  if (generation !== now.generation) return { ...now, through };
  return { ...now, isSynced: true, through: Math.max(through, now.items.at(-1)?.number ?? 0) };
}

function withAppended(now: Transcript, { message, number, runId }: SessionMessage): Transcript {
  const item: TranscriptItem = { ...message, number, runId };
  const items = mergeItems(now.items, [item]);
  // While an earlier item may be missing, loading continues from the complete part.
  const through = now.isSynced ? Math.max(now.through, number) : now.through;
  let next: Transcript = withoutDelivered({ ...now, items, through }, [item]);
  if (now.finished.includes(runId)) return next;
  if (message.role === "user") next = withRun(next, runId, {});
  // The streamed text is stored: the next delta belongs to another message.
  if (message.role === "assistant") next = withRun(next, runId, { isStarted: true, text: "", thinking: "" });
  return next;
}

function withChat(now: Transcript, event: Chat): Transcript {
  if (now.finished.includes(event.runId)) return now;
  if (event.state === "delta") return withRun(now, event.runId, { isStarted: true, text: textOf(event.message?.content ?? []) });
  if (!isEnd(event.state)) return withRun(now, event.runId, { isStarted: true });
  const next = withFinished(now, event.runId);
  return event.state === "error" ? { ...next, failure: { runId: event.runId, reason: event.errorMessage ?? "", noAnswer: event.noAnswer } } : next;
}

/** A newer gateway may have more states. */
export const isEnd = (state: Chat["state"]): state is "final" | "aborted" | "error" => state === "final" || state === "aborted" || state === "error";

function withAgent(now: Transcript, event: Agent): Transcript {
  const { runId, ts } = event;
  if (event.stream === "usage") return { ...now, usage: addUsage(now.usage, runId, event.data) };
  if (event.stream === "tool") return withCall(now, event.data.phase, callKey(runId, event.data.toolCallId), ts);
  if (now.finished.includes(runId)) return now;
  if (event.stream === "thinking") return withRun(now, runId, { isStarted: true, thinking: event.data.text });
  if (event.stream !== "lifecycle") return now;
  const { data } = event;
  if (data.phase === "start") return withRun(now, runId, { isStarted: true, since: data.startedAt });
  if (data.phase === "model") return withRun(now, runId, { isStarted: true });
  // What was streamed is not the answer; the answer follows.
  if (data.phase === "withdrawn") return withRun(now, runId, { isStarted: true, text: "" });
  if (data.phase === "retry") return withRun(now, runId, { isStarted: true, text: "", thinking: "", retry: data.reason });
  return now;
}

function withCall(now: Transcript, phase: "start" | "result", key: string, at: number): Transcript {
  const known = now.calls[key];
  if (phase === "start") return { ...now, calls: { ...now.calls, [key]: { began: at } } };
  return known ? { ...now, calls: { ...now.calls, [key]: { ...known, ended: at } } } : now;
}

function addUsage(before: RunUsage | undefined, runId: string, update: UsageUpdate): RunUsage {
  const sent = update.input + update.cacheRead + update.cacheWrite;
  const same = before?.runId === runId ? before : undefined;
  return {
    runId,
    model: update.model,
    input: (same?.input ?? 0) + sent,
    output: (same?.output ?? 0) + update.output,
    context: sent + update.output,
  };
}

function withRun(now: Transcript, id: string, update: Partial<Omit<OpenRun, "id">>): Transcript {
  if (now.finished.includes(id)) return now;
  const known = now.runs.find((run) => run.id === id);
  const run = { ...(known ?? { id, isStarted: false, text: "", thinking: "" }), ...update };
  return { ...now, runs: known ? now.runs.map((one) => (one === known ? run : one)) : [...now.runs, run] };
}

function withFinished(now: Transcript, id: string): Transcript {
  const outbox = now.outbox.filter(({ key }) => key !== id);
  const finished = now.finished.includes(id) ? now.finished : [...now.finished, id].slice(-MAX_FINISHED);
  return { ...now, finished, outbox, runs: now.runs.filter((run) => run.id !== id) };
}

const outgoingOf = ({ key, text, at, files }: TranscriptChange & { type: "sending" }): OutgoingMessage => ({ key, text, at, state: "sending", ...(files && files.length > 0 && { files }) });

function withOutgoing(now: Transcript, key: string, update: Partial<OutgoingMessage>): Transcript {
  return { ...now, outbox: now.outbox.map((one) => (one.key === key ? { ...one, ...update } : one)) };
}

/** A stored message is no longer unsent. */
function withoutDelivered(now: Transcript, items: readonly TranscriptItem[]): Transcript {
  if (now.outbox.length === 0) return now;
  const there = new Set(items.filter(({ role }) => role === "user").map(({ runId }) => runId));
  return { ...now, outbox: now.outbox.filter(({ key }) => !there.has(key)) };
}

function restarted(now: Transcript, sessionId: string): Transcript {
  const { failure: _, ...rest } = now;
  return { ...rest, sessionId, items: [], hasOlder: false, isLoaded: true, mustReload: false, runs: [], calls: {} };
}

/** Both, by number, each once; known items stay the same objects. */
function mergeItems(some: readonly TranscriptItem[], more: readonly TranscriptItem[]): readonly TranscriptItem[] {
  const last = some.at(-1)?.number ?? -1;
  if (more.every((item, index) => item.number > (index === 0 ? last : (more[index - 1]?.number ?? last)))) {
    return more.length === 0 ? some : [...some, ...more];
  }
  const known = new Set(some.map(({ number }) => number));
  const fresh = more.filter(({ number }) => !known.has(number));
  if (fresh.length === 0) return some;
  return [...some, ...fresh].sort((a, b) => a.number - b.number);
}

/** The text of blocks, without reasoning and calls. */
export function textOf(content: readonly TranscriptItem["content"][number][]): string {
  return content.map((block) => ("text" in block && block.type === "text" ? block.text : undefined)).filter((text) => text !== undefined).join("\n");
}

const sinceOf = (since: number | undefined): { since?: number } => (since === undefined ? {} : { since });
