// The icon and the summary of a tool call.
import type { ToolId } from "../../generated/protocol";
import type { IconName } from "../../components";

const LONGEST = 160;
/** Arguments that summarise a call best, by name. */
const SUMMARY_ARGUMENTS = ["command", "path", "file_path", "name", "url", "query", "action"];

/** A line of a patch that names a file. */
const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

/** The arguments on one line; of a patch, the files that it changes. */
export function briefOf(args: Record<string, unknown>): string {
  const patch = typeof args["input"] === "string" ? [...args["input"].matchAll(PATCHED_FILE)].map(([, path]) => path).join(", ") : "";
  const telling = patch || SUMMARY_ARGUMENTS.map((name) => args[name]).find((value) => typeof value === "string");
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

const icons: Partial<Record<ToolId, IconName>> = {
  write: "edit",
  edit: "edit",
  apply_patch: "edit",
  web_fetch: "network",
  web_search: "search",
};

/** By the id of a known tool, else by words in its name. */
export function iconOf(name: string): IconName {
  const known = Object.hasOwn(icons, name) ? icons[name as ToolId] : undefined;
  if (known) return known;
  if (/exec|bash|shell|process/.test(name)) return "shell";
  if (/^app/.test(name)) return "apps";
  if (/web|browser|fetch/.test(name)) return "network";
  if (/read|write|edit|file|patch/.test(name)) return "file";
  if (/memory/.test(name)) return "book";
  return "wrench";
}
