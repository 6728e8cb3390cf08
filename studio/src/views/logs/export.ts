// Saves entries as a file, one JSON object per line, oldest first, in their original form.
import type { LogEntry } from "../../state/logs/entries";

export function saveAsFile(entries: readonly LogEntry[], name: string): void {
  const text = entries.toReversed().map(({ line }) => `${line}\n`).join("");
  const address = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it over by the next task.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
