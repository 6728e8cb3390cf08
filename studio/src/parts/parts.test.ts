import { describe, expect, it } from "vitest";
import { icons } from "./icons";
import { rowAfter } from "./keys";
import { indexAt, offsets, windowOf } from "./window";

it("an icon is one path on its field", () => {
  for (const [name, path] of Object.entries(icons)) {
    expect(path, name).toMatch(/^M[\dMLHVCSAZmlhvcsaz .-]+$/);
  }
});

describe("keys on a row", () => {
  it("lead to another row, and not out of the list", () => {
    expect(["ArrowUp", "ArrowDown", "Home", "End", "a"].map((key) => rowAfter(key, 1, 9))).toEqual([0, 2, 0, 8, undefined]);
    expect([rowAfter("ArrowUp", 0, 9), rowAfter("ArrowDown", 8, 9), rowAfter("Home", 0, 9)]).toEqual([undefined, undefined, undefined]);
  });
});

describe("the rows in sight", () => {
  const tops = offsets([10, 20, 30, 40], (height) => height);

  it("are found by their heights", () => {
    expect(tops).toEqual([0, 10, 30, 60, 100]);
    expect([-5, 0, 9, 10, 59, 60, 500].map((y) => indexAt(tops, y))).toEqual([0, 0, 0, 1, 2, 3, 3]);
  });

  it("are those between two heights", () => {
    expect(windowOf(tops, 12, 45)).toEqual({ from: 1, to: 3 });
    expect(windowOf(tops, -100, 1000)).toEqual({ from: 0, to: 4 });
    expect(windowOf(offsets([], () => 1), 0, 100)).toEqual({ from: 0, to: 0 });
  });
});
