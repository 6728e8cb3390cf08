// The log and the audit chain as they grow: read once, then only what came after.
// Promises: nothing twice, the newest lines and no more than it keeps; one that fails leaves the other.
// Leaves to others: when to look, and what is shown.
import { type ReadonlySignal, batch, signal } from "@preact/signals";
import type { AuditParams, AuditRecords, LogLines, LogsParams } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";
import { type Entry, entryOfLine, entryOfRecord, newestFirst } from "./entries";

/** The two ways to read; replaced by tests. */
export type Source = {
  lines(params: LogsParams): Promise<LogLines>;
  records(params: AuditParams): Promise<AuditRecords>;
};

const gateway: Source = {
  lines: (params) => call("logs.tail", params),
  records: (params) => call("audit.tail", params),
};

export type Feed = {
  /** The newest first; undefined until it was read once. */
  readonly entries: ReadonlySignal<readonly Entry[] | undefined>;
  /** Why the log, or the chain, could not be read the last time. */
  readonly failure: ReadonlySignal<CallError | undefined>;
  /** Whether there are older entries that are not here. */
  readonly isCut: ReadonlySignal<boolean>;
  /** Lines of the chain that are no records. */
  readonly unreadable: ReadonlySignal<number>;
  /** Reads what came since. One reading at a time. */
  look(): Promise<void>;
};

const MOST_LINES = 2000;
const MOST_BYTES = 500_000;
const MOST_RECORDS = 1000;

/** `keep`: how many lines, and how many records, are held at most. */
export function feed(source: Source = gateway, keep = 5000): Feed {
  const entries = signal<readonly Entry[] | undefined>(undefined);
  const failure = signal<CallError | undefined>(undefined);
  const isCut = signal(false);
  const unreadable = signal(0);
  let lines: Entry[] = [];
  let records: Entry[] = [];
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
    // The first of them happened at the very moment of the last one, and may be it.
    const read = answer.records.flatMap((value) => entryOfRecord(value) ?? []);
    const fresh = read.filter(({ record }) => (record?.seq ?? 0) > (last?.seq ?? 0));
    // An answer that is full may have left out older ones.
    if (answer.records.length === MOST_RECORDS || records.length + fresh.length > keep) isCut.value = true;
    if (!last) unreadable.value = answer.unreadable;
    records = [...records, ...fresh].slice(-keep);
    return fresh.length > 0;
  };

  const read = async () => {
    const came = await Promise.allSettled([readLines(), readRecords()]);
    const failed = came.find((one) => one.status === "rejected");
    const isNew = came.some((one) => one.status === "fulfilled" && one.value);
    batch(() => {
      failure.value = failed && asCallError(failed.reason);
      const isFirst = entries.peek() === undefined && came.some((one) => one.status === "fulfilled");
      if (isNew || isFirst) entries.value = newestFirst([...lines, ...records]);
    });
  };

  const look = (): Promise<void> => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };

  return { entries, failure, isCut, unreadable, look };
}
