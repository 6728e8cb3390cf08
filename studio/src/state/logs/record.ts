// An audit record with the fields that the page uses.
// A valid record has a number, a time and an event.

export type Severity = "info" | "warning" | "critical";

export type AuditRecord = {
  seq: number;
  /** Milliseconds since 1970. */
  at: number;
  category: string;
  event: string;
  severity: Severity;
  agentId?: string;
  skill?: string;
  tool?: string;
  app?: string;
  decision?: string;
  reason?: string;
  pids: number[];
  /** The raw record, for details and copying. */
  whole: Record<string, unknown>;
};

const texts = ["agentId", "skill", "tool", "app", "decision", "reason"] as const;

export function recordOf(value: unknown): AuditRecord | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const whole = value as Record<string, unknown>;
  const at = Date.parse(String(whole["ts"]));
  const { seq, event, category, severity, detail } = whole;
  if (typeof seq !== "number" || typeof event !== "string" || Number.isNaN(at)) return undefined;
  const record: AuditRecord = {
    seq,
    at,
    event,
    category: typeof category === "string" ? category : "",
    severity: severity === "critical" || severity === "warning" ? severity : "info",
    pids: pidsOf(detail),
    whole,
  };
  for (const name of texts) {
    const text = whole[name];
    if (typeof text === "string") record[name] = text;
  }
  return record;
}

function pidsOf(detail: unknown): number[] {
  const pids = (detail as { pids?: unknown } | null | undefined)?.pids;
  return Array.isArray(pids) ? pids.filter((pid): pid is number => typeof pid === "number") : [];
}
