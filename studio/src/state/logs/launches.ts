// The last launch of each app, from the audit chain.
import type { AuditRecords } from "../../generated/protocol";
import { recordOf } from "./record";

export type LastLaunch = { at: number; agentId: string | undefined };

export type Launches = {
  byApp: ReadonlyMap<string, LastLaunch>;
  /** All records were read: only then an app without a launch was never launched. */
  isComplete: boolean;
};

/** Records to read; a full answer may have left out older ones. */
export const RECORDS_READ = 2000;

const successDecisions = new Set(["started", "requested", "already_running"]);

export function launchesOf({ records }: AuditRecords): Launches {
  const byApp = new Map<string, LastLaunch>();
  for (const value of records) {
    const record = recordOf(value);
    if (record?.event !== "app.launched" || !record.app || !successDecisions.has(record.decision ?? "")) continue;
    // Oldest first: the last one wins.
    byApp.set(record.app, { at: record.at, agentId: record.agentId });
  }
  return { byApp, isComplete: records.length < RECORDS_READ };
}
