// The summary of a tool call.

const LONGEST = 160;
/** Arguments that summarise a call best, by name. */
const SUMMARY_ARGUMENTS = ["command", "path", "file_path", "name", "url", "query", "action"];

/** The arguments on one line. */
export function briefOf(args: Record<string, unknown>): string {
  const telling = SUMMARY_ARGUMENTS.map((name) => args[name]).find((value) => typeof value === "string");
  const text = typeof telling === "string" ? telling : Object.keys(args).length === 0 ? "" : JSON.stringify(args);
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** The exit code, if the result has one. */
export function exitCodeOf(details: unknown): number | undefined {
  if (typeof details !== "object" || details === null) return undefined;
  const { exitCode, exit_code: alias } = details as Record<string, unknown>;
  const code = exitCode ?? alias;
  return typeof code === "number" && Number.isInteger(code) ? code : undefined;
}
