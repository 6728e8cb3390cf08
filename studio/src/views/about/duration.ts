// A duration in its two largest units: "2 days, 3 hours", "4 minutes", "12 seconds".
import { locale } from "../../words";

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const first = Math.max(0, units.findIndex(([, size]) => seconds >= size));
  const at = seconds === 0 ? units.length - 1 : first;
  let left = seconds;
  const parts: string[] = [];
  for (const [unit, size] of units.slice(at, at + 2)) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 || parts.length === 0) {
      parts.push(new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: "long" }).format(count));
    }
  }
  return new Intl.ListFormat(locale(), { type: "unit" }).format(parts);
}
