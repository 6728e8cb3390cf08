// The conversation as rows to render: stored items, changed files, streaming answers, unsent messages.
// An unchanged row is the same object, so that only changed rows render again.
import type { Block, NoAnswer, RunChanges } from "../../generated/protocol";
import type { ChangesByRun } from "./changes";
import { type CallTime, type TranscriptItem, type OutgoingMessage, type OpenRun, type Transcript, callKey, textOf } from "./transcript";

export type CallRow = {
  key: string;
  name: string;
  args: Record<string, unknown> | undefined;
  result: (TranscriptItem & { role: "toolResult" }) | undefined;
  time: CallTime | undefined;
  /** Its run is open: without a result, the call is running. */
  isOpen: boolean;
};

export type Row =
  | { kind: "user"; key: string; item: TranscriptItem; isWaiting: boolean }
  | { kind: "answer"; key: string; item: TranscriptItem; calls: readonly CallRow[]; isFirst: boolean; isLast: boolean }
  | { kind: "remark"; key: string; item: TranscriptItem; customType: string; retry: string | undefined }
  | { kind: "changes"; key: string; changes: RunChanges }
  | { kind: "live"; key: string; run: OpenRun; isFirst: boolean }
  | { kind: "failure"; key: string; reason: string; noAnswer: NoAnswer | undefined; retry: string | undefined }
  | { kind: "outgoing"; key: string; outgoing: OutgoingMessage };

const NO_CHANGES: ChangesByRun = new Map();

/** Builds rows and reuses unchanged ones. One per conversation. */
export function rowBuilder(): (now: Transcript, changes?: ChangesByRun) => readonly Row[] {
  const reuseStored = reuseRows();
  const reuseOpen = reuseRows();
  let cached: { of: readonly unknown[]; rows: readonly Row[] } | undefined;
  return (now, changes = NO_CHANGES) => {
    // Streaming changes none of these: the stored rows of a long conversation are not rebuilt for each delta.
    const of = [changes, now.items, now.calls, now.outbox.length === 0, now.runs.map((run) => `${run.id} ${run.isStarted}`).join("\n")];
    if (!cached || cached.of.some((value, index) => value !== of[index])) cached = { of, rows: reuseStored(storedRows(now, changes)) };
    return [...cached.rows, ...reuseOpen(openRows(now))];
  };
}

/** Returns the previous object of an unchanged row. */
function reuseRows(): (rows: readonly Row[]) => readonly Row[] {
  let before = new Map<string, Row>();
  return (rows) => {
    const result = rows.map((row) => {
      const old = before.get(row.key);
      return old && isSame(old, row) ? old : row;
    });
    before = new Map(result.map((row) => [row.key, row]));
    return result;
  };
}

function storedRows(now: Transcript, changes: ChangesByRun): Row[] {
  const waiting = waitingRuns(now);
  const results = resultsOf(now.items);
  const open = new Set(now.runs.map(({ id }) => id));
  const claimed = new Set<TranscriptItem>();
  const rows: Row[] = [];
  /** How many rows there are up to the last item of each run that changed files. */
  const ends = new Map<string, number>();
  let speaker: string | undefined;
  for (const item of now.items) {
    if (item.role === "user") {
      if (!waiting.has(item.runId ?? "")) rows.push({ kind: "user", key: keyOf(item), item, isWaiting: false });
      speaker = undefined;
    } else if (item.role === "custom" || item.role === "system") {
      rows.push(remark(now, item));
      speaker = undefined;
    } else if (!isHidden(item) && (item.role === "assistant" || !claimed.has(item))) {
      const calls = item.role === "assistant" ? callsOf(item, results, now, open) : [orphanCall(item, now)];
      for (const { result } of calls) if (result) claimed.add(result);
      const who = item.runId ?? keyOf(item);
      rows.push({ kind: "answer", key: keyOf(item), item, calls, isFirst: speaker !== who, isLast: false });
      speaker = who;
    }
    if (item.runId && changes.has(item.runId)) ends.set(item.runId, rows.length);
  }
  // Only the last answer has active buttons.
  const last = rows.at(-1);
  if (last?.kind === "answer" && now.runs.length === 0 && now.outbox.length === 0) rows[rows.length - 1] = { ...last, isLast: true };
  return withChanges(rows, ends, changes);
}

/** The changed files of a run follow its last row. */
function withChanges(rows: Row[], ends: ReadonlyMap<string, number>, changes: ChangesByRun): Row[] {
  const later = [...ends].sort(([, one], [, other]) => other - one);
  for (const [runId, end] of later) {
    const of = changes.get(runId);
    if (of && of.files.length > 0) rows.splice(end, 0, { kind: "changes", key: `changes ${runId}`, changes: of });
  }
  return rows;
}

function openRows(now: Transcript): Row[] {
  const waiting = waitingRuns(now);
  const live = now.runs.filter((run) => run.isStarted).map((run): Row => ({ kind: "live", key: `live ${run.id}`, run: withoutDuplicateText(run, now.items), isFirst: !hasSpoken(run, now.items) }));
  const failure: Row[] =
    now.failure && !now.items.some((item) => item.runId === now.failure?.runId && item.role === "custom")
      ? [{ kind: "failure", key: `failure ${now.failure.runId}`, reason: now.failure.reason, noAnswer: now.failure.noAnswer, retry: promptOf(now, now.failure.runId) }]
      : [];
  const isLater = (item: TranscriptItem) => item.role === "user" && waiting.has(item.runId ?? "");
  const later = waiting.size === 0 ? [] : now.items.filter(isLater).map((item): Row => ({ kind: "user", key: keyOf(item), item, isWaiting: true }));
  return [...live, ...failure, ...later, ...now.outbox.map((outgoing): Row => ({ kind: "outgoing", key: `out ${outgoing.key}`, outgoing }))];
}

/** Runs that wait behind another one. */
function waitingRuns(now: Transcript): ReadonlySet<string> {
  if (!now.runs.some((run) => run.isStarted)) return new Set();
  return new Set(now.runs.filter((run) => !run.isStarted).map(({ id }) => id));
}

/** The last message of an open run is among so many of the newest items. */
const RECENT_ITEMS = 100;

/** A late delta, after its message was stored, is not shown twice. */
function withoutDuplicateText(run: OpenRun, items: readonly TranscriptItem[]): OpenRun {
  if (run.text === "") return run;
  const last = items.slice(-RECENT_ITEMS).findLast((item) => item.runId === run.id && item.role === "assistant");
  return last && textOf(last.content).startsWith(run.text) ? { ...run, text: "" } : run;
}

const hasSpoken = (run: OpenRun, items: readonly TranscriptItem[]): boolean => {
  const last = items.at(-1);
  return last?.runId === run.id && last.role !== "user";
};

type ToolResultItem = TranscriptItem & { role: "toolResult" };

function resultsOf(items: readonly TranscriptItem[]): ReadonlyMap<string, ToolResultItem> {
  const found = new Map<string, ToolResultItem>();
  for (const item of items) if (item.role === "toolResult") found.set(callKey(item.runId, item.toolCallId), item);
  return found;
}

function callsOf(item: TranscriptItem, results: ReadonlyMap<string, ToolResultItem>, now: Transcript, open: ReadonlySet<string>): CallRow[] {
  return item.content.filter(isCall).map((block) => {
    const key = callKey(item.runId, block.id);
    return { key, name: block.name, args: block.arguments, result: results.get(key), time: now.calls[key], isOpen: open.has(item.runId ?? "") };
  });
}

/** A result whose call is on an older page. */
function orphanCall(item: ToolResultItem, now: Transcript): CallRow {
  const key = callKey(item.runId, item.toolCallId);
  return { key, name: item.toolName, args: undefined, result: item, time: now.calls[key], isOpen: false };
}

const isCall = (block: Block): block is Extract<Block, { type: "toolCall"; id: string }> => block.type === "toolCall" && "arguments" in block;

function remark(now: Transcript, item: TranscriptItem): Row {
  const customType = item.role === "custom" ? item.customType : "system";
  const isFailure = customType === "run-failed-before-reply" || customType === "run-interrupted";
  const isLast = now.items.at(-1) === item && now.runs.length === 0 && now.outbox.length === 0;
  return { kind: "remark", key: keyOf(item), item, customType, retry: isFailure && isLast ? promptOf(now, item.runId) : undefined };
}

/** The user message that a run answers. */
function promptOf(now: Transcript, runId: string | undefined): string | undefined {
  const prompt = now.items.findLast((item) => item.role === "user" && (runId === undefined || item.runId === runId));
  return prompt && textOf(prompt.content);
}

/** The session hides everything in it. A result of a shown call is claimed by the call. */
const isHidden = (item: TranscriptItem): boolean => item.content.length === 0;

const keyOf = (item: TranscriptItem): string => `i${item.number}`;

function isSame(a: Row, b: Row): boolean {
  if (a.kind === "user" && b.kind === "user") return a.item === b.item && a.isWaiting === b.isWaiting;
  if (a.kind === "answer" && b.kind === "answer") {
    const isAlike = a.item === b.item && a.isFirst === b.isFirst && a.isLast === b.isLast && a.calls.length === b.calls.length;
    return isAlike && a.calls.every((call, index) => isShallowEqual(call, b.calls[index] ?? {}));
  }
  return isShallowEqual(a, b);
}

function isShallowEqual(a: object, b: object): boolean {
  const of = b as Record<string, unknown>;
  return Object.entries(a).every(([name, value]) => of[name] === value);
}
