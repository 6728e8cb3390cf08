import { describe, expect, it } from "vitest";
import type { CatalogTool, ToolGroup } from "../../generated/protocol";
import { approvedFor } from "./approved";
import { groupsOf, isForAll } from "./catalog";
import { withTool, namesTool, toolRulesOf, withoutTool, widerDenials, withToolRules } from "./tool-rules";

const tool = (id: string, defaultProfiles: string[] = ["full"]): CatalogTool => ({
  id,
  label: id,
  description: "",
  source: "core",
  needs: null,
  defaultProfiles,
  allowed: true,
  reason: "",
});
const read = tool("read", ["coding", "full"]);
const groups: ToolGroup[] = [{ id: "fs", label: "fs", source: "core", tools: [read, tool("write")] }];

describe("an entry of a tool list", () => {
  it.each([
    ["read", true],
    [" READ ", true],
    ["group:fs", true],
    ["group:openclaw", true],
    ["r*d", true],
    ["*", true],
    ["re*ad", true],
    ["rea*ad", false],
    ["*e*d*", true],
    ["rea.", false],
    ["group:web", false],
    ["(", false],
    ["write", false],
  ])("%s names read: %s", (word, does) => {
    expect(namesTool(word, "read", groups)).toBe(does);
  });
});

describe("tool rules", () => {
  it("deny a tool by name, and allow it again by removing the name", () => {
    const rules = toolRulesOf({ deny: ["write"] });
    const less = withoutTool(rules, "read");
    expect(less.deny).toEqual(["write", "read"]);
    expect(withTool(less, read, groups)).toEqual(rules);
  });

  it("add a tool that the profile or the list lacks", () => {
    expect(withTool(toolRulesOf({ profile: "minimal" }), read, groups).alsoAllow).toEqual(["read"]);
    expect(withTool(toolRulesOf({ allow: ["write"] }), read, groups).alsoAllow).toEqual(["read"]);
  });

  it("contain no duplicates", () => {
    expect(withTool(toolRulesOf({ profile: "coding" }), read, groups).alsoAllow).toEqual([]);
    expect(withTool(toolRulesOf({ allow: ["group:fs"] }), read, groups).alsoAllow).toEqual([]);
    expect(withoutTool(withoutTool(toolRulesOf({}), "read"), "read").deny).toEqual(["read"]);
  });

  it("name the entries that deny more than one tool", () => {
    expect(widerDenials(toolRulesOf({ deny: ["read", "group:fs", "w*"] }), "read", groups)).toEqual(["group:fs"]);
  });

  it("leaves every other key of `tools` alone, and nothing behind", () => {
    expect(withToolRules({ exec: { ask: "off" }, deny: ["x"] }, toolRulesOf({ profile: "full" }))).toEqual({ exec: { ask: "off" }, profile: "full" });
    expect(withToolRules({ deny: ["x"] }, toolRulesOf({}))).toBeUndefined();
  });

  it("treat an invalid list as empty", () => {
    expect(toolRulesOf({ deny: "read", allow: [1, "a"], profile: 3 })).toEqual({ allow: ["a"], alsoAllow: [], deny: [] });
  });
});

describe("a catalogue", () => {
  it("of an older gateway has no tools", () => {
    expect(groupsOf({ agentId: "main", profiles: [], groups: [{ id: "fs", label: "fs" }] } as never)).toEqual([]);
  });

  it("says whether the key that denies a tool applies to all agents", () => {
    expect(isForAll("agents.list[main].tools.deny")).toBe(false);
    expect(isForAll("tools.profile")).toBe(true);
    expect(isForAll(undefined)).toBe(false);
  });
});

it("approved commands are the agent's and the common ones, without invalid entries", () => {
  const agents = { main: { allowlist: [{ pattern: "/usr/bin/git", lastUsedAt: 5 }, "ls", 7, {}] }, "*": { allowlist: ["rg"] }, ada: { allowlist: ["rm"] } };
  expect(approvedFor({ version: 1, agents }, "main")).toEqual([{ pattern: "rg" }, { pattern: "/usr/bin/git", lastUsedAt: 5 }, { pattern: "ls" }]);
  expect(approvedFor({ version: 1, agents: { main: null } }, "main")).toEqual([]);
});
