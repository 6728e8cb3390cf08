import { describe, expect, it } from "vitest";
import { icons } from "./icons";
import { rowAfter } from "./keys";
import { RowTops, coversRange, indexAt, nearest, offsets, windowOf } from "./window";

it("an icon is one path on its field", () => {
  for (const [name, path] of Object.entries(icons)) {
    expect(path, name).toMatch(/^M[\dMLHVCSAZmlhvcsaz .-]+$/);
  }
});

describe("keys on a row", () => {
  it("move to another row and stop at the ends", () => {
    expect(["ArrowUp", "ArrowDown", "Home", "End", "a"].map((key) => rowAfter(key, 1, 9))).toEqual([0, 2, 0, 8, undefined]);
    expect([rowAfter("ArrowUp", 0, 9), rowAfter("ArrowDown", 8, 9), rowAfter("Home", 0, 9)]).toEqual([undefined, undefined, undefined]);
  });
});

describe("visible rows", () => {
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

  it("are rendered with a margin, or not", () => {
    expect(coversRange(tops, { from: 1, to: 3 }, 10, 60)).toBe(true);
    expect(coversRange(tops, { from: 1, to: 3 }, 9, 60)).toBe(false);
    expect(coversRange(tops, { from: 1, to: 3 }, 10, 61)).toBe(false);
    expect(coversRange(tops, { from: 0, to: 4 }, -500, 5000)).toBe(true);
  });

  it("are rendered first, and rendered rows stay unless they are far away", () => {
    const [near, far] = [{ from: 40, to: 60 }, { from: 30, to: 70 }];
    expect(nearest(near, far, { from: 20, to: 50 })).toEqual({ from: 30, to: 60 });
    expect(nearest(near, far, { from: 35, to: 65 })).toEqual({ from: 35, to: 65 });
    expect(nearest(near, far, { from: 60, to: 90 })).toEqual({ from: 40, to: 70 });
    // Rows with a gap between them cannot both stay.
    expect(nearest(near, far, { from: 62, to: 90 })).toEqual(near);
    expect(nearest(near, far, { from: 0, to: 30 })).toEqual(near);
  });
});

describe("row offsets", () => {
  const items = ["a", "b", "c"];

  it("are estimated until they are measured", () => {
    const rows = new RowTops((item: string) => item, 10);
    expect(rows.tops(items)).toEqual([0, 10, 20, 30]);
    expect(rows.setHeight("b", 25)).toBe(true);
    expect(rows.tops(items)).toEqual([0, 10, 35, 45]);
  });

  it("stays the same where nothing is new", () => {
    const rows = new RowTops((item: string) => item, 10);
    const before = rows.tops(items);
    expect([rows.setHeight("a", 10), rows.setHeight("c", 0)]).toEqual([false, false]);
    expect(rows.tops(items)).toBe(before);
    expect(rows.tops(["b"])).toEqual([0, 10]);
  });
});
