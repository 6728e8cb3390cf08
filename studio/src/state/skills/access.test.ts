import { describe, expect, it } from "vitest";
import type { Config } from "../config";
import { accessOf, withSkill, withNames } from "./access";

const listed = (skills?: string[]): Config => ({ agents: { list: [{ id: "mira", ...(skills && { skills }) }, { id: "ada", skills: ["own"] }] } });

describe("the access of an agent", () => {
  it("is all without a list, none with an empty one, else selected", () => {
    expect([accessOf({}, "main").mode, accessOf(listed(), "mira").mode]).toEqual(["all", "all"]);
    expect(accessOf(listed([]), "mira").mode).toBe("none");
    expect(accessOf(listed(["a"]), "mira")).toEqual({ mode: "selected", own: ["a"], names: ["a"], hasCommonList: false });
  });

  it("is the common list where it has none of its own", () => {
    const config: Config = { agents: { defaults: { skills: ["a"] }, list: [{ id: "mira" }] } };
    expect(accessOf(config, "mira")).toEqual({ mode: "selected", own: undefined, names: ["a"], hasCommonList: true });
  });

  it("is read from agents by id too", () => {
    expect(accessOf({ agents: { entries: { Mira: { skills: [] } } } }, "mira").mode).toBe("none");
  });

  it.each([[{ agents: 3 }], [{ agents: { list: "x" } }], [{ agents: { list: [null, 7, { id: 4 }] } }], [{ agents: { entries: [] } }]])(
    "is all in a file that makes no sense: %o",
    (config) => {
      expect(accessOf(config as Config, "mira").mode).toBe("all");
    },
  );
});

describe("a changed list", () => {
  it("is written for that agent alone", () => {
    expect(withNames(listed(["a"]), "mira", ["a", "b"])).toEqual(listed(["a", "b"]));
  });

  it("is taken out for all skills", () => {
    expect(withNames(listed(["a"]), "mira", undefined)).toEqual(listed());
  });

  it("names the agent that the file does not name yet", () => {
    expect(withNames({}, "main", [])).toEqual({ agents: { list: [{ id: "main", skills: [] }] } });
    expect(withNames({}, "main", undefined)).toEqual({});
  });

  it("stays in the form that the file has", () => {
    expect(withNames({ agents: { entries: { mira: { name: "Mira" } } } }, "mira", ["a"])).toEqual({
      agents: { entries: { mira: { name: "Mira", skills: ["a"] } } },
    });
    expect(withNames({ agents: { entries: {} } }, "main", ["a"])).toEqual({ agents: { entries: { main: { skills: ["a"] } } } });
  });
});

describe("one skill switched", () => {
  const every = ["a", "b", "mac-only", "b"];

  it("keeps every other one that there is, when all were allowed", () => {
    expect(withSkill(undefined, "a", false, every)).toEqual(["b", "mac-only"]);
  });

  it("keeps the order, and unknown names", () => {
    expect(withSkill(["elsewhere", " b "], "a", true, every)).toEqual(["elsewhere", " b ", "a"]);
    expect(withSkill(["elsewhere", " b "], "b", false, every)).toEqual(["elsewhere"]);
  });

  it("changes nothing when it already holds", () => {
    const names = ["a"];
    expect(withSkill(names, "a", true, every)).toBe(names);
    expect(withSkill(undefined, "a", true, every)).toBeUndefined();
  });
});
