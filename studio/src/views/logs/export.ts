// Saves entries as a file of this browser, one JSON object a line, oldest first, as they stand in their files.
import type { Entry } from "../../state/logs/entries";

export function saveAsFile(entries: readonly Entry[], name: string): void {
  const text = entries.toReversed().map(({ line }) => `${line}\n`).join("");
  const address = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it over by the next task.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
