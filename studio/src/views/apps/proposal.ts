// A registry entry: current, proposed, and the difference. No DOM access.
// Only changed fields are sent; an allowlist is never empty, and no other mode has a list.
import type { AppEntry, AppMode, AppPatch, RegisteredApp } from "../../generated/protocol";

export const fieldNames = ["launch_path", "runtime_exe", "process_name", "mode", "allowed_agents"] as const;
export type FieldName = (typeof fieldNames)[number];

/** The fields as edited: an empty text means that the field is absent. */
export type EntryFieldValues = {
  launch_path: string;
  runtime_exe: string;
  process_name: string;
  mode: AppMode;
  allowed_agents: readonly string[];
};

/** An existing entry; its mode may be missing. */
export type CurrentFields = Omit<EntryFieldValues, "mode"> & { mode: AppMode | null };

export const newFields: EntryFieldValues = { launch_path: "", runtime_exe: "", process_name: "", mode: "allowlist", allowed_agents: [] };

export function currentOf(app: RegisteredApp): CurrentFields {
  return {
    launch_path: app.launch_path ?? "",
    runtime_exe: app.runtime_exe ?? "",
    process_name: app.process_name ?? "",
    mode: app.mode,
    allowed_agents: app.allowed_agents,
  };
}

/** The initial draft; an entry without a mode starts with the strictest one. */
export const draftOf = (current: CurrentFields): EntryFieldValues => ({ ...current, mode: current.mode ?? "off" });

/** The fields to save: trimmed texts, and agents only for an allowlist. */
export function proposedOf(draft: EntryFieldValues): EntryFieldValues {
  const agents = draft.allowed_agents.map((agent) => agent.trim()).filter(Boolean);
  return {
    launch_path: draft.launch_path.trim(),
    runtime_exe: draft.runtime_exe.trim(),
    process_name: draft.process_name.trim(),
    mode: draft.mode,
    allowed_agents: draft.mode === "allowlist" ? [...new Set(agents)] : [],
  };
}

/** A field as registry text; undefined if absent. */
export function fieldText(fields: CurrentFields, name: FieldName): string | undefined {
  if (name === "allowed_agents") return JSON.stringify(fields.allowed_agents);
  return fields[name] || undefined;
}

/** The changed fields; all present ones for a new entry. */
export function changes(current: CurrentFields | undefined, proposed: EntryFieldValues): ReadonlySet<FieldName> {
  const before = (name: FieldName) => (current ? fieldText(current, name) : undefined);
  return new Set(fieldNames.filter((name) => before(name) !== fieldText(proposed, name)));
}

export type MissingField = "name" | "launch_path" | "allowed_agents";

/** What is missing before it can be saved, in the order of the fields. */
export function missingFields(name: string, proposed: EntryFieldValues): MissingField[] {
  const found: MissingField[] = [];
  if (!name.trim()) found.push("name");
  if (!proposed.launch_path) found.push("launch_path");
  if (proposed.mode === "allowlist" && proposed.allowed_agents.length === 0) found.push("allowed_agents");
  return found;
}

export function entryOf(proposed: EntryFieldValues): AppEntry {
  const { launch_path, runtime_exe, process_name, mode, allowed_agents } = proposed;
  return {
    launch_path,
    ...(runtime_exe && { runtime_exe }),
    ...(process_name && { process_name }),
    mode,
    allowed_agents: [...allowed_agents],
  };
}

/** Only changed fields; `null` removes one. The list of agents goes with its mode. */
export function patchOf(current: CurrentFields, proposed: EntryFieldValues): AppPatch {
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

/** The app with this name, ignoring case, width and white space. */
export function findByName(apps: readonly RegisteredApp[], name: string): RegisteredApp | undefined {
  const folded = foldName(name);
  return folded ? apps.find((app) => foldName(app.name) === folded) : undefined;
}

const foldName = (name: string): string => name.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();
