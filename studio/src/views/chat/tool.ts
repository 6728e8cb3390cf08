// A call of a tool in few words.

const LONGEST = 160;
/** What says most of a call, by the name of its argument. */
const TELLING = ["command", "path", "file_path", "name", "url", "query", "action"];

/** The arguments on one line. */
export function briefOf(args: Record<string, unknown>): string {
  const telling = TELLING.map((name) => args[name]).find((value) => typeof value === "string");
  const text = typeof telling === "string" ? telling : Object.keys(args).length === 0 ? "" : JSON.stringify(args);
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** The code that a program ended with, where the details of a result say it. */
export function exitCodeOf(details: unknown): number | undefined {
  if (typeof details !== "object" || details === null) return undefined;
  const { exitCode, exit_code: alias } = details as Record<string, unknown>;
  const code = exitCode ?? alias;
  return typeof code === "number" && Number.isInteger(code) ? code : undefined;
}
