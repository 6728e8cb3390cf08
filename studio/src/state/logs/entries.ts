// Lines of the log and records of the audit chain as one kind of thing: what happened, when, how serious, where.
// Promises: no line is lost because it cannot be understood; it is shown as it is. Leaves the words to the view.
import { type AuditRecord, type Severity, recordOf } from "./record";

export const levels = ["error", "warning", "info", "debug"] as const;
export type Level = (typeof levels)[number];

/** What a line is about; `security` and `operation` are records of the audit chain. */
export const parts = ["security", "operation", "agent", "tools", "skills", "apps", "automations", "gateway", "other"] as const;
export type Part = (typeof parts)[number];

export type Entry = {
  key: string;
  at: number;
  level: Level;
  part: Part;
  /** What happened, in the program's own words: a message, or the name of an event. */
  what: string;
  /** What else it says, in one line. */
  more: string;
  /** The line as it stands in its file. */
  line: string;
  /** The record, if it is one. */
  record?: AuditRecord;
};

const ofSeverity: Record<Severity, Level> = { info: "info", warning: "warning", critical: "error" };

/** A record of the audit chain; undefined when it is none. */
export function entryOfRecord(value: unknown): Entry | undefined {
  const record = recordOf(value);
  if (!record) return undefined;
  return {
    key: `r${record.seq}`,
    at: record.at,
    level: ofSeverity[record.severity],
    part: record.category === "operation" ? "operation" : "security",
    what: record.event,
    more: outcomeOf(record),
    line: JSON.stringify(record.whole),
    record,
  };
}

/** What it is about, and what came of it. */
function outcomeOf(record: AuditRecord): string {
  const subject = record.app ?? record.skill ?? record.tool;
  const came = record.reason ?? record.decision;
  const pids = record.pids.length > 0 ? `pid ${record.pids.join(", ")}` : undefined;
  return [subject, [came, pids].filter(Boolean).join(", ")].filter(Boolean).join(": ");
}

const ofLevel: Record<string, Level> = { ERROR: "error", WARN: "warning", INFO: "info", DEBUG: "debug", TRACE: "debug" };

/** A line of the log. `number` tells it from others that say the same; `last` is the time of the line before it. */
export function entryOfLine(line: string, number: number, last: number): Entry {
  const said = parsed(line);
  const at = Date.parse(String(said?.["timestamp"]));
  const { message, ...fields } = fieldsOf(said);
  const target = said?.["target"];
  return {
    key: `l${number}`,
    at: Number.isNaN(at) ? last : at,
    level: ofLevel[String(said?.["level"])] ?? "info",
    part: said ? partOf(String(target)) : "other",
    what: typeof message === "string" ? message : line,
    more: Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`).join(" "),
    line,
  };
}

/** The part of the program that wrote a line, by the name of its module; the first that fits counts. */
const modules: readonly (readonly [RegExp, Part])[] = [
  [/^tarsus_agent::tools\b/, "tools"],
  [/^tarsus_(apps\b|agent::manager\b)/, "apps"],
  [/^tarsus_(agent|models)\b/, "agent"],
  [/^tarsus_(skills|scan|guard)\b/, "skills"],
  [/^tarsus_automation\b/, "automations"],
  [/^tarsus(_gateway|_host|_home|_store|_audit|_protocol)?(::|$)/, "gateway"],
];

export function partOf(target: string): Part {
  return modules.find(([name]) => name.test(target))?.[1] ?? "other";
}

/** The newest first; of two at the same moment the one that came later. */
export function newestFirst(entries: readonly Entry[]): Entry[] {
  return entries.toReversed().sort((one, other) => other.at - one.at);
}

export type Wanted = { part: Part | "all"; level: Level | "all"; search: string };

/** Those that are asked for. `title`: what the view calls it, which is searched too. */
export function wanted(entries: readonly Entry[], { part, level, search }: Wanted, title: (entry: Entry) => string): Entry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    if (part !== "all" && entry.part !== part) return false;
    if (level !== "all" && entry.level !== level) return false;
    if (words.length === 0) return true;
    const text = `${title(entry)} ${entry.line}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** How many there are of each. */
export function counted<T extends string>(entries: readonly Entry[], by: (entry: Entry) => T): Map<T, number> {
  const counts = new Map<T, number>();
  for (const entry of entries) counts.set(by(entry), (counts.get(by(entry)) ?? 0) + 1);
  return counts;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function fieldsOf(said: Record<string, unknown> | undefined): Record<string, unknown> {
  const fields = said?.["fields"];
  return typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>) : {};
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
