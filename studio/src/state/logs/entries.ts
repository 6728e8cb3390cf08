// Log lines and audit records as one type of entry.
// A line that cannot be parsed is shown as it is.
import { type AuditRecord, type Severity, recordOf } from "./record";

export const logLevels = ["error", "warning", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

/** `security` and `operation` are audit records. */
export const logCategories = ["security", "operation", "agent", "tools", "skills", "apps", "automations", "gateway", "other"] as const;
export type LogCategory = (typeof logCategories)[number];

export type LogEntry = {
  key: string;
  at: number;
  level: LogLevel;
  category: LogCategory;
  /** The message of a line, or the event of a record. */
  what: string;
  /** The other fields, in one line. */
  more: string;
  /** The line as it stands in its file. */
  line: string;
  /** The audit record, if it is one. */
  record?: AuditRecord;
};

const levelOfSeverity: Record<Severity, LogLevel> = { info: "info", warning: "warning", critical: "error" };

/** An audit record as an entry; undefined if it is invalid. */
export function entryOfRecord(value: unknown): LogEntry | undefined {
  const record = recordOf(value);
  if (!record) return undefined;
  return {
    key: `r${record.seq}`,
    at: record.at,
    level: levelOfSeverity[record.severity],
    category: record.category === "operation" ? "operation" : "security",
    what: record.event,
    more: outcomeOf(record),
    line: JSON.stringify(record.whole),
    record,
  };
}

/** The subject and the outcome. */
function outcomeOf(record: AuditRecord): string {
  const subject = record.app ?? record.skill ?? record.tool;
  const outcome = record.reason ?? record.decision;
  const pids = record.pids.length > 0 ? `pid ${record.pids.join(", ")}` : undefined;
  return [subject, [outcome, pids].filter(Boolean).join(", ")].filter(Boolean).join(": ");
}

const levelOfName: Record<string, LogLevel> = { ERROR: "error", WARN: "warning", INFO: "info", DEBUG: "debug", TRACE: "debug" };

/** A log line as an entry. `number` makes its key unique; `last` is the time of the previous line. */
export function entryOfLine(line: string, number: number, last: number): LogEntry {
  const parsed = parseObject(line);
  const at = Date.parse(String(parsed?.["timestamp"]));
  const { message, ...fields } = fieldsOf(parsed);
  const target = parsed?.["target"];
  return {
    key: `l${number}`,
    at: Number.isNaN(at) ? last : at,
    level: levelOfName[String(parsed?.["level"])] ?? "info",
    category: parsed ? categoryOf(String(target)) : "other",
    what: typeof message === "string" ? message : line,
    more: Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`).join(" "),
    line,
  };
}

/** The category of a module; the first match wins. */
const modules: readonly (readonly [RegExp, LogCategory])[] = [
  [/^tarsus_agent::tools\b/, "tools"],
  [/^tarsus_(apps\b|agent::manager\b)/, "apps"],
  [/^tarsus_(agent|models)\b/, "agent"],
  [/^tarsus_(skills|scan|guard)\b/, "skills"],
  [/^tarsus_automation\b/, "automations"],
  [/^tarsus(_gateway|_host|_home|_store|_audit|_protocol)?(::|$)/, "gateway"],
];

export function categoryOf(target: string): LogCategory {
  return modules.find(([name]) => name.test(target))?.[1] ?? "other";
}

/** Newest first; of two at the same moment, the later one first. */
export function newestFirst(entries: readonly LogEntry[]): LogEntry[] {
  return entries.toReversed().sort((one, other) => other.at - one.at);
}

export type LogFilter = { category: LogCategory | "all"; level: LogLevel | "all"; search: string };

/** The entries that match. `title` is the shown title, which is searched too. */
export function filterEntries(entries: readonly LogEntry[], { category, level, search }: LogFilter, title: (entry: LogEntry) => string): LogEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    if (category !== "all" && entry.category !== category) return false;
    if (level !== "all" && entry.level !== level) return false;
    if (words.length === 0) return true;
    const text = `${title(entry)} ${entry.line}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function countBy<T extends string>(entries: readonly LogEntry[], by: (entry: LogEntry) => T): Map<T, number> {
  const counts = new Map<T, number>();
  for (const entry of entries) counts.set(by(entry), (counts.get(by(entry)) ?? 0) + 1);
  return counts;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function fieldsOf(parsed: Record<string, unknown> | undefined): Record<string, unknown> {
  const fields = parsed?.["fields"];
  return typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>) : {};
}

const valueText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
