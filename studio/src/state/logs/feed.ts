// The log and the audit chain as they grow: loaded once, then only what is new.
// No entry appears twice; only the newest are kept; a failure of one leaves the other.
import { type ReadonlySignal, batch, signal } from "@preact/signals";
import type { AuditParams, AuditRecords, LogLines, LogsParams } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";
import { type LogEntry, entryOfLine, entryOfRecord, newestFirst } from "./entries";

/** Reads lines and records; replaced by tests. */
export type LogSource = {
  lines(params: LogsParams): Promise<LogLines>;
  records(params: AuditParams): Promise<AuditRecords>;
};

const gateway: LogSource = {
  lines: (params) => call("logs.tail", params),
  records: (params) => call("audit.tail", params),
};

export type LogFeed = {
  /** Newest first; undefined before the first load. */
  readonly entries: ReadonlySignal<readonly LogEntry[] | undefined>;
  /** Why the last load failed. */
  readonly failure: ReadonlySignal<CallError | undefined>;
  /** Older entries exist that are not here. */
  readonly isCut: ReadonlySignal<boolean>;
  /** Lines of the chain that are not valid records. */
  readonly unreadable: ReadonlySignal<number>;
  /** Loads what is new. One load at a time. */
  refresh(): Promise<void>;
};

const MOST_LINES = 2000;
const MOST_BYTES = 500_000;
const MOST_RECORDS = 1000;

/** `keep`: the maximum of lines, and of records. */
export function feed(source: LogSource = gateway, keep = 5000): LogFeed {
  const entries = signal<readonly LogEntry[] | undefined>(undefined);
  const failure = signal<CallError | undefined>(undefined);
  const isCut = signal(false);
  const unreadable = signal(0);
  let lines: LogEntry[] = [];
  let records: LogEntry[] = [];
  let cursor: number | undefined;
  let number = 0;
  let running: Promise<void> | undefined;

  const readLines = async (): Promise<boolean> => {
    const answer = await source.lines({ limit: MOST_LINES, maxBytes: MOST_BYTES, ...(cursor !== undefined && { cursor }) });
    cursor = answer.cursor;
    for (const line of answer.lines) lines.push(entryOfLine(line, number++, lines.at(-1)?.at ?? 0));
    if (answer.truncated || lines.length > keep) isCut.value = true;
    lines = lines.slice(-keep);
    return answer.lines.length > 0;
  };

  const readRecords = async (): Promise<boolean> => {
    const last = records.at(-1)?.record;
    const since = last?.whole["ts"];
    const answer = await source.records({ limit: MOST_RECORDS, ...(typeof since === "string" && { since }) });
    // The first of them has the time of the last known one, and may be it.
    const read = answer.records.flatMap((value) => entryOfRecord(value) ?? []);
    const fresh = read.filter(({ record }) => (record?.seq ?? 0) > (last?.seq ?? 0));
    // A full answer may have left out older ones.
    if (answer.records.length === MOST_RECORDS || records.length + fresh.length > keep) isCut.value = true;
    if (!last) unreadable.value = answer.unreadable;
    records = [...records, ...fresh].slice(-keep);
    return fresh.length > 0;
  };

  const read = async () => {
    const results = await Promise.allSettled([readLines(), readRecords()]);
    const failed = results.find((one) => one.status === "rejected");
    const isNew = results.some((one) => one.status === "fulfilled" && one.value);
    batch(() => {
      failure.value = failed && asCallError(failed.reason);
      const isFirst = entries.peek() === undefined && results.some((one) => one.status === "fulfilled");
      if (isNew || isFirst) entries.value = newestFirst([...lines, ...records]);
    });
  };

  const look = (): Promise<void> => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };

  return { entries, failure, isCut, unreadable, refresh: look };
}
