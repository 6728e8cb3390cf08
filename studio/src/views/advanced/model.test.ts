import { describe, expect, it } from "vitest";
import { choiceOf, moveUp, toConfigValue } from "./model";

describe("the model of an agent", () => {
  it("is read in both forms, and nothing is made of anything else", () => {
    expect(choiceOf("a/b")).toEqual({ primary: "a/b", fallbacks: [] });
    expect(choiceOf({ primary: "a/b", fallbacks: ["c/d", 5] })).toEqual({ primary: "a/b", fallbacks: ["c/d"] });
    expect([undefined, 5, null, ["a/b"]].map(choiceOf)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("keeps its fallbacks and other keys when it changes", () => {
    const before = { primary: "a/b", fallbacks: ["c/d"], timeoutMs: 5 };
    expect(toConfigValue(before, { primary: "e/f", fallbacks: ["c/d"] })).toEqual({ primary: "e/f", fallbacks: ["c/d"], timeoutMs: 5 });
    expect(toConfigValue(before, { primary: "e/f", fallbacks: [] })).toEqual({ primary: "e/f", timeoutMs: 5 });
  });

  it("is written as a string if that is enough, and omitted without a choice", () => {
    expect(toConfigValue({ primary: "a/b", fallbacks: ["c/d"] }, { primary: "a/b", fallbacks: [] })).toBe("a/b");
    expect(toConfigValue("a/b", undefined)).toBeUndefined();
  });
});

it("an entry moves up, and the first one stays", () => {
  expect(moveUp(["a", "b", "c"], 2)).toEqual(["a", "c", "b"]);
  expect(moveUp(["a", "b"], 0)).toEqual(["a", "b"]);
});
