// When each app was launched last, and by whom: from the audit chain, never from the registry.
import type { AuditRecords } from "../../generated/protocol";
import { recordOf } from "./record";

export type LastLaunch = { at: number; agentId: string | undefined };

export type Launches = {
  of: ReadonlyMap<string, LastLaunch>;
  /** Whether every record was looked at: only then an app that is not in it was never launched. */
  isAll: boolean;
};

/** Records to look at; an answer with so many may have left out older ones. */
export const RECORDS_READ = 2000;

const happened = new Set(["started", "requested", "already_running"]);

export function launchesOf({ records }: AuditRecords): Launches {
  const of = new Map<string, LastLaunch>();
  for (const value of records) {
    const record = recordOf(value);
    if (record?.event !== "app.launched" || !record.app || !happened.has(record.decision ?? "")) continue;
    // They come oldest first: the last one stays.
    of.set(record.app, { at: record.at, agentId: record.agentId });
  }
  return { of, isAll: records.length < RECORDS_READ };
}
