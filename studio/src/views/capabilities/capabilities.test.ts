import { describe, expect, it } from "vitest";
import type { CatalogTool, ToolGroup } from "../../generated/protocol";
import { approvedFor } from "./approved";
import { groupsOf, isForAll } from "./catalog";
import { given, names, offerOf, taken, widerDenials, withOffer } from "./offer";

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

describe("a word of a list", () => {
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
    expect(names(word, "read", groups)).toBe(does);
  });
});

describe("an offer", () => {
  it("takes a tool away by naming it, and gives it back by forgetting that", () => {
    const offer = offerOf({ deny: ["write"] });
    const less = taken(offer, "read");
    expect(less.deny).toEqual(["write", "read"]);
    expect(given(less, read, groups)).toEqual(offer);
  });

  it("gives a tool that the profile or the list lacks", () => {
    expect(given(offerOf({ profile: "minimal" }), read, groups).alsoAllow).toEqual(["read"]);
    expect(given(offerOf({ allow: ["write"] }), read, groups).alsoAllow).toEqual(["read"]);
  });

  it("says nothing twice", () => {
    expect(given(offerOf({ profile: "coding" }), read, groups).alsoAllow).toEqual([]);
    expect(given(offerOf({ allow: ["group:fs"] }), read, groups).alsoAllow).toEqual([]);
    expect(taken(taken(offerOf({}), "read"), "read").deny).toEqual(["read"]);
  });

  it("names the words that take more away than one tool", () => {
    expect(widerDenials(offerOf({ deny: ["read", "group:fs", "w*"] }), "read", groups)).toEqual(["group:fs"]);
  });

  it("leaves every other key of `tools` alone, and nothing behind", () => {
    expect(withOffer({ exec: { ask: "off" }, deny: ["x"] }, offerOf({ profile: "full" }))).toEqual({ exec: { ask: "off" }, profile: "full" });
    expect(withOffer({ deny: ["x"] }, offerOf({}))).toBeUndefined();
  });

  it("takes what is no list for none", () => {
    expect(offerOf({ deny: "read", allow: [1, "a"], profile: 3 })).toEqual({ allow: ["a"], alsoAllow: [], deny: [] });
  });
});

describe("a catalogue", () => {
  it("of an older gateway has no tools", () => {
    expect(groupsOf({ agentId: "main", profiles: [], groups: [{ id: "fs", label: "fs" }] } as never)).toEqual([]);
  });

  it("says of the key that takes a tool away whether it is for all", () => {
    expect(isForAll("agents.list[main].tools.deny")).toBe(false);
    expect(isForAll("tools.profile")).toBe(true);
    expect(isForAll(undefined)).toBe(false);
  });
});

it("approved commands are those of the agent and of all, without what is no entry", () => {
  const agents = { main: { allowlist: [{ pattern: "/usr/bin/git", lastUsedAt: 5 }, "ls", 7, {}] }, "*": { allowlist: ["rg"] }, ada: { allowlist: ["rm"] } };
  expect(approvedFor({ version: 1, agents }, "main")).toEqual([{ pattern: "rg" }, { pattern: "/usr/bin/git", lastUsedAt: 5 }, { pattern: "ls" }]);
  expect(approvedFor({ version: 1, agents: { main: null } }, "main")).toEqual([]);
});
