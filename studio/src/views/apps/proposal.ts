// An entry of the registry as it is, as it would be, and the difference. No element of the page is touched here.
// Promises: only what differs is sent as a change; an allowlist is never empty, and no other mode has a list.
import type { AppEntry, AppMode, AppPatch, RegisteredApp } from "../../generated/protocol";

export const fieldNames = ["launch_path", "runtime_exe", "process_name", "mode", "allowed_agents"] as const;
export type FieldName = (typeof fieldNames)[number];

/** The fields as a person edits them: an empty text is a field that is not there. */
export type Fields = {
  launch_path: string;
  runtime_exe: string;
  process_name: string;
  mode: AppMode;
  allowed_agents: readonly string[];
};

/** An entry as it is; its mode may be missing. */
export type Current = Omit<Fields, "mode"> & { mode: AppMode | null };

export const newFields: Fields = { launch_path: "", runtime_exe: "", process_name: "", mode: "allowlist", allowed_agents: [] };

export function currentOf(app: RegisteredApp): Current {
  return {
    launch_path: app.launch_path ?? "",
    runtime_exe: app.runtime_exe ?? "",
    process_name: app.process_name ?? "",
    mode: app.mode,
    allowed_agents: app.allowed_agents,
  };
}

/** Where editing begins: as it is; what has no mode begins with the strictest one. */
export const draftOf = (current: Current): Fields => ({ ...current, mode: current.mode ?? "off" });

/** What would be saved of a draft: texts without white space around them, agents only where they count. */
export function proposedOf(draft: Fields): Fields {
  const agents = draft.allowed_agents.map((agent) => agent.trim()).filter(Boolean);
  return {
    launch_path: draft.launch_path.trim(),
    runtime_exe: draft.runtime_exe.trim(),
    process_name: draft.process_name.trim(),
    mode: draft.mode,
    allowed_agents: draft.mode === "allowlist" ? [...new Set(agents)] : [],
  };
}

/** A field in the words of the registry; undefined when it is not there. */
export function written(fields: Current, name: FieldName): string | undefined {
  if (name === "allowed_agents") return JSON.stringify(fields.allowed_agents);
  return fields[name] || undefined;
}

/** The fields that differ; every one that is there when the entry is new. */
export function changes(current: Current | undefined, proposed: Fields): ReadonlySet<FieldName> {
  const before = (name: FieldName) => (current ? written(current, name) : undefined);
  return new Set(fieldNames.filter((name) => before(name) !== written(proposed, name)));
}

export type Lack = "name" | "launch_path" | "allowed_agents";

/** What has to be given before it can be saved, in the order of the fields. */
export function lacks(name: string, proposed: Fields): Lack[] {
  const found: Lack[] = [];
  if (!name.trim()) found.push("name");
  if (!proposed.launch_path) found.push("launch_path");
  if (proposed.mode === "allowlist" && proposed.allowed_agents.length === 0) found.push("allowed_agents");
  return found;
}

/** The whole entry. */
export function entryOf(proposed: Fields): AppEntry {
  const { launch_path, runtime_exe, process_name, mode, allowed_agents } = proposed;
  return {
    launch_path,
    ...(runtime_exe && { runtime_exe }),
    ...(process_name && { process_name }),
    mode,
    allowed_agents: [...allowed_agents],
  };
}

/** Only what differs; `null` takes a field away. The list of agents goes with its mode. */
export function patchOf(current: Current, proposed: Fields): AppPatch {
  const differs = changes(current, proposed);
  return {
    ...(differs.has("launch_path") && { launch_path: proposed.launch_path }),
    ...(differs.has("runtime_exe") && { runtime_exe: proposed.runtime_exe || null }),
    ...(differs.has("process_name") && { process_name: proposed.process_name || null }),
    ...((differs.has("mode") || differs.has("allowed_agents")) && {
      mode: proposed.mode,
      allowed_agents: [...proposed.allowed_agents],
    }),
  };
}

/** The app that has this name already, in whatever spelling: case, width and white space do not count. */
export function sameName(apps: readonly RegisteredApp[], name: string): RegisteredApp | undefined {
  const folded = folding(name);
  return folded ? apps.find((app) => folding(app.name) === folded) : undefined;
}

const folding = (name: string): string => name.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();
