// What is known of one session's conversation, and how every page, event and answer changes it. No page, socket or clock.
// Promises: in whatever order pages and events come, over any number of lost connections, each item is there once, by its
// number, and none is missing once `isSynced`; what was sent stays until the gateway has it.
import type { Agent, Chat, ChatHistory, HistoryItem, NoAnswer, SessionMessage, UsageTold } from "../../generated/protocol";
import type { Attached } from "./attach";

export type Item = HistoryItem;

/** A run that is not over, as far as is known. */
export type Run = {
  id: string;
  /** Whether somebody answers already; before that it waits for its turn. */
  begun: boolean;
  since?: number;
  /** What is said of the message that is being written. */
  text: string;
  thinking: string;
  /** Why what was shown before was taken back. */
  retry?: string;
};

/** A message on its way: its key is the id of its run. */
export type Outgoing = {
  key: string;
  text: string;
  at: number;
  files?: readonly Attached[];
  state: "sending" | "sent" | "refused";
  /** Why it was refused, and the word for it. */
  reason?: string;
  code?: string;
};

export type CallTime = { began: number; ended?: number };

export type Spent = { runId: string; model: string; input: number; output: number; context: number };

export type Transcript = {
  /** `undefined` before the first page, `null` while nothing was said. */
  sessionId: string | null | undefined;
  items: readonly Item[];
  hasOlder: boolean;
  isLoaded: boolean;
  /** Every item up to this number is here, from the oldest one on. */
  through: number;
  /** Whether nothing is missing behind `through`. */
  isSynced: boolean;
  /** Counts the times that something may have been missed: a page asked for before does not make it whole. */
  generation: number;
  /** The session was begun anew elsewhere: the newest page has to be read. */
  mustBeginAnew: boolean;
  runs: readonly Run[];
  /** Runs that are over; what is told of them late does not count. */
  over: readonly string[];
  outbox: readonly Outgoing[];
  /** When calls of tools began and ended, by `callKey`. */
  calls: Readonly<Record<string, CallTime>>;
  spent?: Spent;
  /** A run that failed, until its remark is in the transcript. */
  failure?: { runId: string; reason: string; noAnswer?: NoAnswer | undefined };
};

export type Change =
  | { type: "lost" }
  | { type: "page"; from: "newest" | "after" | "before"; generation: number; page: Pick<ChatHistory, "sessionId" | "messages" | "hasMore"> }
  | { type: "written"; told: SessionMessage }
  | { type: "chat"; told: Chat }
  | { type: "agent"; told: Agent }
  /** How a run stands, as the gateway says when it is asked. */
  | { type: "standing"; runId: string; isOver: boolean; since?: number }
  | { type: "sending"; key: string; text: string; at: number; files?: readonly Attached[] }
  | { type: "sent"; key: string; isOver: boolean }
  | { type: "refused"; key: string; reason: string; code: string }
  | { type: "withdrawn"; key: string }
  | { type: "anew"; sessionId: string };

const MOST_OVER = 200;

export const nothing: Transcript = {
  sessionId: undefined,
  items: [],
  hasOlder: false,
  isLoaded: false,
  through: 0,
  isSynced: false,
  generation: 0,
  mustBeginAnew: false,
  runs: [],
  over: [],
  outbox: [],
  calls: {},
};

export const callKey = (runId: string | undefined, callId: string): string => `${runId ?? ""} ${callId}`;

export function changed(now: Transcript, change: Change): Transcript {
  switch (change.type) {
    case "lost":
      return { ...now, generation: now.generation + 1, isSynced: false };
    case "page":
      return withPage(now, change);
    case "written":
      return withWritten(now, change.told);
    case "chat":
      return withChat(now, change.told);
    case "agent":
      return withAgent(now, change.told);
    case "standing":
      return change.isOver ? withOver(now, change.runId) : withRun(now, change.runId, sinceOf(change.since));
    case "sending":
      if (now.outbox.some(({ key }) => key === change.key)) return withOutgoing(now, change.key, { state: "sending" });
      return { ...now, outbox: [...now.outbox, outgoingOf(change)] };
    case "sent":
      if (change.isOver) return withOver(now, change.key);
      return withRun(withOutgoing(now, change.key, { state: "sent" }), change.key, {});
    case "refused":
      return withOutgoing(now, change.key, { state: "refused", reason: change.reason, code: change.code });
    case "withdrawn":
      return { ...now, outbox: now.outbox.filter(({ key }) => key !== change.key) };
    case "anew":
      return begunAnew(now, change.sessionId);
  }
}

function withPage(now: Transcript, { from, generation, page }: Change & { type: "page" }): Transcript {
  const isAnother = Boolean(now.sessionId && page.sessionId !== now.sessionId);
  if (from !== "newest" && isAnother) return { ...now, mustBeginAnew: true };
  if (from === "before") {
    return { ...now, items: merged(now.items, page.messages), hasOlder: page.hasMore };
  }
  if (from === "newest") {
    const last = page.messages.at(-1)?.number ?? now.through;
    const items = merged(page.messages, now.items.filter((item) => item.number > last));
    const fresh = { ...now, items, hasOlder: page.hasMore, isLoaded: true, mustBeginAnew: false, sessionId: page.sessionId };
    return synced(withoutDelivered(fresh, page.messages), generation, last);
  }
  const items = merged(now.items, page.messages);
  const through = Math.max(now.through, page.messages.at(-1)?.number ?? 0);
  const next = { ...now, items, through, sessionId: page.sessionId ?? now.sessionId };
  const fresh = withoutDelivered(next, page.messages);
  return page.hasMore ? fresh : synced(fresh, generation, through);
}

/** Nothing is missing any more, unless something was lost after the page was asked for. */
function synced(now: Transcript, generation: number, through: number): Transcript {
  if (generation !== now.generation) return { ...now, through };
  return { ...now, isSynced: true, through: Math.max(through, now.items.at(-1)?.number ?? 0) };
}

function withWritten(now: Transcript, { message, number, runId }: SessionMessage): Transcript {
  const item: Item = { ...message, number, runId };
  const items = merged(now.items, [item]);
  // While something may be missing before it, reading goes on from where nothing is.
  const through = now.isSynced ? Math.max(now.through, number) : now.through;
  let next: Transcript = withoutDelivered({ ...now, items, through }, [item]);
  if (now.over.includes(runId)) return next;
  if (message.role === "user") next = withRun(next, runId, {});
  // What was being said is said: the next words belong to another message.
  if (message.role === "assistant") next = withRun(next, runId, { begun: true, text: "", thinking: "" });
  return next;
}

function withChat(now: Transcript, told: Chat): Transcript {
  if (now.over.includes(told.runId)) return now;
  if (told.state === "delta") return withRun(now, told.runId, { begun: true, text: textOf(told.message?.content ?? []) });
  if (!isEnd(told.state)) return withRun(now, told.runId, { begun: true });
  const next = withOver(now, told.runId);
  return told.state === "error" ? { ...next, failure: { runId: told.runId, reason: told.errorMessage ?? "", noAnswer: told.noAnswer } } : next;
}

/** Whether a reply is over with it; a later gateway may tell of more states. */
export const isEnd = (state: Chat["state"]): state is "final" | "aborted" | "error" => state === "final" || state === "aborted" || state === "error";

function withAgent(now: Transcript, told: Agent): Transcript {
  const { runId, ts } = told;
  if (told.stream === "usage") return { ...now, spent: spentOf(now.spent, runId, told.data) };
  if (told.stream === "tool") return withCall(now, told.data.phase, callKey(runId, told.data.toolCallId), ts);
  if (now.over.includes(runId)) return now;
  if (told.stream === "thinking") return withRun(now, runId, { begun: true, thinking: told.data.text });
  if (told.stream !== "lifecycle") return now;
  const { data } = told;
  if (data.phase === "start") return withRun(now, runId, { begun: true, since: data.startedAt });
  if (data.phase === "model") return withRun(now, runId, { begun: true });
  if (data.phase === "retry") return withRun(now, runId, { begun: true, text: "", thinking: "", retry: data.reason });
  return now;
}

function withCall(now: Transcript, phase: "start" | "result", key: string, at: number): Transcript {
  const known = now.calls[key];
  if (phase === "start") return { ...now, calls: { ...now.calls, [key]: { began: at } } };
  return known ? { ...now, calls: { ...now.calls, [key]: { ...known, ended: at } } } : now;
}

function spentOf(before: Spent | undefined, runId: string, told: UsageTold): Spent {
  const sent = told.input + told.cacheRead + told.cacheWrite;
  const same = before?.runId === runId ? before : undefined;
  return {
    runId,
    model: told.model,
    input: (same?.input ?? 0) + sent,
    output: (same?.output ?? 0) + told.output,
    context: sent + told.output,
  };
}

function withRun(now: Transcript, id: string, told: Partial<Omit<Run, "id">>): Transcript {
  if (now.over.includes(id)) return now;
  const known = now.runs.find((run) => run.id === id);
  const run = { ...(known ?? { id, begun: false, text: "", thinking: "" }), ...told };
  return { ...now, runs: known ? now.runs.map((one) => (one === known ? run : one)) : [...now.runs, run] };
}

function withOver(now: Transcript, id: string): Transcript {
  const outbox = now.outbox.filter(({ key }) => key !== id);
  const over = now.over.includes(id) ? now.over : [...now.over, id].slice(-MOST_OVER);
  return { ...now, over, outbox, runs: now.runs.filter((run) => run.id !== id) };
}

const outgoingOf = ({ key, text, at, files }: Change & { type: "sending" }): Outgoing => ({ key, text, at, state: "sending", ...(files && files.length > 0 && { files }) });

function withOutgoing(now: Transcript, key: string, told: Partial<Outgoing>): Transcript {
  return { ...now, outbox: now.outbox.map((one) => (one.key === key ? { ...one, ...told } : one)) };
}

/** What is in the transcript is not on its way any more. */
function withoutDelivered(now: Transcript, items: readonly Item[]): Transcript {
  if (now.outbox.length === 0) return now;
  const there = new Set(items.filter(({ role }) => role === "user").map(({ runId }) => runId));
  return { ...now, outbox: now.outbox.filter(({ key }) => !there.has(key)) };
}

function begunAnew(now: Transcript, sessionId: string): Transcript {
  const { failure: _, ...rest } = now;
  return { ...rest, sessionId, items: [], hasOlder: false, isLoaded: true, mustBeginAnew: false, runs: [], calls: {} };
}

/** Both, by number, each once; what is known already stays the same object. */
function merged(some: readonly Item[], more: readonly Item[]): readonly Item[] {
  const last = some.at(-1)?.number ?? -1;
  if (more.every((item, index) => item.number > (index === 0 ? last : (more[index - 1]?.number ?? last)))) {
    return more.length === 0 ? some : [...some, ...more];
  }
  const known = new Set(some.map(({ number }) => number));
  const fresh = more.filter(({ number }) => !known.has(number));
  if (fresh.length === 0) return some;
  return [...some, ...fresh].sort((a, b) => a.number - b.number);
}

/** The text of blocks, without what was thought or called. */
export function textOf(content: readonly Item["content"][number][]): string {
  return content.map((block) => ("text" in block && block.type === "text" ? block.text : undefined)).filter((text) => text !== undefined).join("\n");
}

const sinceOf = (since: number | undefined): { since?: number } => (since === undefined ? {} : { since });
