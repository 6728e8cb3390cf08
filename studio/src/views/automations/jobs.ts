// The jobs that a gateway reports, in OpenClaw's format, as far as they can be read.
import type { Json } from "../../state/config";

export type Schedule =
  | { kind: "at"; at: number }
  | { kind: "every"; ms: number }
  | { kind: "cron"; expr: string; zone?: string }
  | { kind: "unknown" };

export type Job = {
  id: string;
  name: string;
  /** The default agent if not set. */
  agentId?: string;
  enabled: boolean;
  schedule: Schedule;
  nextRunAt?: number;
  lastRunAt?: number;
  lastStatus?: string;
};

/** The jobs of one agent. Entries without an id are skipped. */
export function jobsOf(entries: readonly unknown[], agentId: string, defaultId: string): Job[] {
  return entries.flatMap(jobOf).filter((job) => (job.agentId ?? defaultId) === agentId);
}

function jobOf(entry: unknown): Job[] {
  const of = membersOf(entry);
  const id = textOf(of["id"]) ?? textOf(of["jobId"]);
  if (!id) return [];
  const state = membersOf(of["state"]);
  return [
    {
      id,
      name: textOf(of["name"]) ?? id,
      enabled: of["enabled"] !== false,
      schedule: scheduleOf(membersOf(of["schedule"])),
      ...optional("agentId", textOf(of["agentId"])),
      ...optional("nextRunAt", momentOf(state["nextRunAtMs"])),
      ...optional("lastRunAt", momentOf(state["lastRunAtMs"])),
      ...optional("lastStatus", textOf(state["lastStatus"])),
    },
  ];
}

function scheduleOf(of: Members): Schedule {
  const kind = of["kind"];
  const at = momentOf(of["atMs"]) ?? momentOf(of["at"]);
  if (kind === "at" && at !== undefined) return { kind, at };
  const ms = of["everyMs"];
  if (kind === "every" && typeof ms === "number" && ms > 0) return { kind, ms };
  const expr = textOf(of["expr"]);
  if (kind === "cron" && expr) return { kind, expr, ...optional("zone", textOf(of["tz"])) };
  return { kind: "unknown" };
}

/** The largest unit that divides the time. */
export function timeOf(ms: number): { n: number; unit: "day" | "hour" | "minute" | "second" } {
  const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]] as const;
  const [unit, size] = units.find(([, size]) => ms % size === 0) ?? (["second", 1000] as const);
  return { n: ms / size, unit };
}

type Members = Record<string, unknown>;

const membersOf = (value: unknown): Members => (typeof value === "object" && value !== null ? (value as Members) : {});

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value ? value : undefined);

/** Milliseconds since 1970, or a date string; only valid dates. */
function momentOf(value: unknown): number | undefined {
  const at = typeof value === "string" ? Date.parse(value) : value;
  return typeof at === "number" && Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? at : undefined;
}

const optional = <K extends string, T extends Json>(name: K, value: T | undefined): { [N in K]?: T } =>
  (value === undefined ? {} : { [name]: value }) as { [N in K]?: T };
