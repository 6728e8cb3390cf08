import { describe, expect, it } from "vitest";
import type { RegisteredApp } from "../../generated/protocol";
import { effectOf } from "./effect";
import { type EntryFieldValues, changes, currentOf, draftOf, entryOf, missingFields, newFields, patchOf, proposedOf, findByName, fieldText } from "./proposal";

const app = (more: Partial<RegisteredApp> = {}): RegisteredApp => ({
  name: "Last Z",
  launch_path: "/opt/last-z/start",
  runtime_exe: null,
  process_name: "last-z",
  mode: "allowlist",
  allowed_agents: ["writer"],
  group: "valid",
  reasons: [],
  running: false,
  pids: [],
  ...more,
});

const edited = (more: Partial<EntryFieldValues>, of = app()): EntryFieldValues => proposedOf({ ...draftOf(currentOf(of)), ...more });

describe("the entry to save", () => {
  it("has trimmed texts and no duplicate agent", () => {
    const proposed = edited({ launch_path: "  /bin/true ", allowed_agents: ["writer", " main ", "", "writer"] });
    expect(proposed.launch_path).toBe("/bin/true");
    expect(proposed.allowed_agents).toEqual(["writer", "main"]);
  });

  it("lists agents only in mode allowlist", () => {
    expect(edited({ mode: "full" }).allowed_agents).toEqual([]);
    expect(edited({ mode: "off" }).allowed_agents).toEqual([]);
  });

  it("begins with the strictest mode when the entry has none", () => {
    expect(draftOf(currentOf(app({ mode: null }))).mode).toBe("off");
  });

  it("uses the registry's field names and omits empty fields", () => {
    const proposed = edited({ runtime_exe: "" });
    expect(fieldText(proposed, "allowed_agents")).toBe('["writer"]');
    expect(fieldText(proposed, "runtime_exe")).toBeUndefined();
    expect(entryOf(proposed)).toEqual({
      launch_path: "/opt/last-z/start",
      process_name: "last-z",
      mode: "allowlist",
      allowed_agents: ["writer"],
    });
  });
});

describe("the difference", () => {
  it("is empty when nothing differs", () => {
    expect(changes(currentOf(app()), edited({})).size).toBe(0);
    expect(patchOf(currentOf(app()), edited({}))).toEqual({});
  });

  it("has every field when the entry is new", () => {
    const proposed = proposedOf({ ...newFields, launch_path: "/bin/true", allowed_agents: ["main"] });
    expect([...changes(undefined, proposed)]).toEqual(["launch_path", "mode", "allowed_agents"]);
  });

  it("has only the changed fields, and null for a removed one", () => {
    const patch = patchOf(currentOf(app()), edited({ process_name: "", launch_path: "/bin/true" }));
    expect(patch).toEqual({ launch_path: "/bin/true", process_name: null });
  });

  it("sends the list of agents only beside its mode", () => {
    expect(patchOf(currentOf(app()), edited({ allowed_agents: ["main"] }))).toEqual({ mode: "allowlist", allowed_agents: ["main"] });
    expect(patchOf(currentOf(app()), edited({ mode: "full" }))).toEqual({ mode: "full", allowed_agents: [] });
  });
});

describe("an entry cannot be saved", () => {
  it("without a name, a launch path, or an agent on its allowlist", () => {
    expect(missingFields("  ", proposedOf(newFields))).toEqual(["name", "launch_path", "allowed_agents"]);
    expect(missingFields("Last Z", edited({}))).toEqual([]);
    expect(missingFields("Last Z", edited({ allowed_agents: [" "] }))).toEqual(["allowed_agents"]);
  });
});

describe("a name", () => {
  it("is taken whatever its case and width", () => {
    const apps = [app(), app({ name: "微信" })];
    expect(findByName(apps, "  last   Ｚ ")?.name).toBe("Last Z");
    expect(findByName(apps, "last")).toBeUndefined();
    expect(findByName(apps, " ")).toBeUndefined();
  });
});

describe("the effect", () => {
  const effect = (more: Partial<EntryFieldValues>) => effectOf("Last Z", currentOf(app()), edited(more));

  it("says who may launch it from now on, who could, and that the list goes", () => {
    expect(effect({ mode: "full" })).toBe(
      "Every agent may launch Last Z. Before, only writer could. The list of agents is cleared.",
    );
    expect(effect({ allowed_agents: ["writer", "main"] })).toBe(
      "Only writer and main may launch Last Z. Before, only writer could.",
    );
  });

  it("says what is launched next, and when it can no longer be stopped", () => {
    expect(effect({ launch_path: "/bin/true" })).toBe("The next launch starts /bin/true.");
    expect(effect({ process_name: "" })).toBe("Without a process name or program, its state cannot be shown and it cannot be stopped.");
  });

  it("says of a new entry what it allows", () => {
    expect(effectOf("Clock", undefined, proposedOf({ ...newFields, launch_path: "/bin/true", mode: "off" }))).toBe(
      "No agent may launch Clock. Without a process name or program, its state cannot be shown and it cannot be stopped.",
    );
  });

  it("says when nothing changes", () => {
    expect(effect({})).toBe("Nothing changes.");
  });
});
