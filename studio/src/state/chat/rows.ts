// The conversation as rows to draw: what was said, what is being said, what waits.
// Promises: a row that says the same is the same object, so that only what changed is drawn again.
import type { Block, NoAnswer } from "../../generated/protocol";
import { type CallTime, type Item, type Outgoing, type Run, type Transcript, callKey, textOf } from "./transcript";

export type Call = {
  key: string;
  name: string;
  args: Record<string, unknown> | undefined;
  result: (Item & { role: "toolResult" }) | undefined;
  time: CallTime | undefined;
  /** Whether its run goes on: without a result it is at work. */
  isOpen: boolean;
};

export type Row =
  | { kind: "user"; key: string; item: Item; isWaiting: boolean }
  | { kind: "answer"; key: string; item: Item; calls: readonly Call[]; isFirst: boolean; isLast: boolean }
  | { kind: "remark"; key: string; item: Item; customType: string; retry: string | undefined }
  | { kind: "live"; key: string; run: Run; isFirst: boolean }
  | { kind: "failure"; key: string; reason: string; noAnswer: NoAnswer | undefined; retry: string | undefined }
  | { kind: "outgoing"; key: string; outgoing: Outgoing };

/** Builds rows, and keeps those that stay the same. One a conversation. */
export function rowBuilder(): (now: Transcript) => readonly Row[] {
  const said = keeper();
  const saying = keeper();
  let made: { of: readonly unknown[]; rows: readonly Row[] } | undefined;
  return (now) => {
    // While words stream in, nothing of this changes: a long conversation is not looked through for each of them.
    const of = [now.items, now.calls, now.outbox.length === 0, now.runs.map((run) => `${run.id} ${run.begun}`).join("\n")];
    if (!made || made.of.some((value, index) => value !== of[index])) made = { of, rows: said(settled(now)) };
    return [...made.rows, ...saying(unsettled(now))];
  };
}

/** Gives back the row of the last time where it says the same. */
function keeper(): (rows: readonly Row[]) => readonly Row[] {
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

function settled(now: Transcript): Row[] {
  const waiting = waitingRuns(now);
  const results = resultsOf(now.items);
  const open = new Set(now.runs.map(({ id }) => id));
  const claimed = new Set<Item>();
  const rows: Row[] = [];
  let speaker: string | undefined;
  for (const item of now.items) {
    if (item.role === "user") {
      if (!waiting.has(item.runId ?? "")) rows.push({ kind: "user", key: keyOf(item), item, isWaiting: false });
      speaker = undefined;
    } else if (item.role === "custom" || item.role === "system") {
      rows.push(remark(now, item));
      speaker = undefined;
    } else if (item.role === "assistant" || !claimed.has(item)) {
      const calls = item.role === "assistant" ? callsOf(item, results, now, open) : [loneCall(item, now)];
      for (const { result } of calls) if (result) claimed.add(result);
      const who = item.runId ?? keyOf(item);
      rows.push({ kind: "answer", key: keyOf(item), item, calls, isFirst: speaker !== who, isLast: false });
      speaker = who;
    }
  }
  // Only what was said last can be answered with a button.
  const last = rows.at(-1);
  if (last?.kind === "answer" && now.runs.length === 0 && now.outbox.length === 0) rows[rows.length - 1] = { ...last, isLast: true };
  return rows;
}

function unsettled(now: Transcript): Row[] {
  const waiting = waitingRuns(now);
  const live = now.runs.filter((run) => run.begun).map((run): Row => ({ kind: "live", key: `live ${run.id}`, run: shown(run, now.items), isFirst: !hasSpoken(run, now.items) }));
  const failure: Row[] =
    now.failure && !now.items.some((item) => item.runId === now.failure?.runId && item.role === "custom")
      ? [{ kind: "failure", key: `failure ${now.failure.runId}`, reason: now.failure.reason, noAnswer: now.failure.noAnswer, retry: askedBy(now, now.failure.runId) }]
      : [];
  const isLater = (item: Item) => item.role === "user" && waiting.has(item.runId ?? "");
  const later = waiting.size === 0 ? [] : now.items.filter(isLater).map((item): Row => ({ kind: "user", key: keyOf(item), item, isWaiting: true }));
  return [...live, ...failure, ...later, ...now.outbox.map((outgoing): Row => ({ kind: "outgoing", key: `out ${outgoing.key}`, outgoing }))];
}

/** Runs that wait behind another one. */
function waitingRuns(now: Transcript): ReadonlySet<string> {
  if (!now.runs.some((run) => run.begun)) return new Set();
  return new Set(now.runs.filter((run) => !run.begun).map(({ id }) => id));
}

/** Among so many of the newest items is what a run that goes on said last. */
const NEWEST = 100;

/** Words that came late, after their message was written, are not shown a second time. */
function shown(run: Run, items: readonly Item[]): Run {
  if (run.text === "") return run;
  const last = items.slice(-NEWEST).findLast((item) => item.runId === run.id && item.role === "assistant");
  return last && textOf(last.content).startsWith(run.text) ? { ...run, text: "" } : run;
}

const hasSpoken = (run: Run, items: readonly Item[]): boolean => {
  const last = items.at(-1);
  return last?.runId === run.id && last.role !== "user";
};

type Result = Item & { role: "toolResult" };

function resultsOf(items: readonly Item[]): ReadonlyMap<string, Result> {
  const found = new Map<string, Result>();
  for (const item of items) if (item.role === "toolResult") found.set(callKey(item.runId, item.toolCallId), item);
  return found;
}

function callsOf(item: Item, results: ReadonlyMap<string, Result>, now: Transcript, open: ReadonlySet<string>): Call[] {
  return item.content.filter(isCall).map((block) => {
    const key = callKey(item.runId, block.id);
    return { key, name: block.name, args: block.arguments, result: results.get(key), time: now.calls[key], isOpen: open.has(item.runId ?? "") };
  });
}

/** A result whose call is on an older page. */
function loneCall(item: Result, now: Transcript): Call {
  const key = callKey(item.runId, item.toolCallId);
  return { key, name: item.toolName, args: undefined, result: item, time: now.calls[key], isOpen: false };
}

const isCall = (block: Block): block is Extract<Block, { type: "toolCall"; id: string }> => block.type === "toolCall" && "arguments" in block;

function remark(now: Transcript, item: Item): Row {
  const customType = item.role === "custom" ? item.customType : "system";
  const isFailure = customType === "run-failed-before-reply" || customType === "run-interrupted";
  const isLast = now.items.at(-1) === item && now.runs.length === 0 && now.outbox.length === 0;
  return { kind: "remark", key: keyOf(item), item, customType, retry: isFailure && isLast ? askedBy(now, item.runId) : undefined };
}

/** What the person said that a run answers. */
function askedBy(now: Transcript, runId: string | undefined): string | undefined {
  const asked = now.items.findLast((item) => item.role === "user" && (runId === undefined || item.runId === runId));
  return asked && textOf(asked.content);
}

const keyOf = (item: Item): string => `i${item.number}`;

/** Whether two rows of one key say the same. */
function isSame(a: Row, b: Row): boolean {
  if (a.kind === "user" && b.kind === "user") return a.item === b.item && a.isWaiting === b.isWaiting;
  if (a.kind === "answer" && b.kind === "answer") {
    const isAlike = a.item === b.item && a.isFirst === b.isFirst && a.isLast === b.isLast && a.calls.length === b.calls.length;
    return isAlike && a.calls.every((call, index) => isShallow(call, b.calls[index] ?? {}));
  }
  return isShallow(a, b);
}

function isShallow(a: object, b: object): boolean {
  const of = b as Record<string, unknown>;
  return Object.entries(a).every(([name, value]) => of[name] === value);
}
