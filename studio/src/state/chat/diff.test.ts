import { describe, expect, it } from "vitest";
import type { DiffLineKind, FileDiff } from "../../generated/protocol";
import { MAX_LENGTH, MAX_LINES, countLines, diffRows, lineNumbers, numberWidth } from "./diff";

const lines = (kinds: string) => [...kinds].map((sign, index) => ({ kind: ({ "+": "added", "-": "removed" }[sign] ?? "context") as DiffLineKind, text: `line ${index}` }));
const diff = (...hunks: FileDiff["hunks"]): FileDiff => ({ path: "a", hunks });

describe("the lines of a diff", () => {
  it("are numbered before and after the change", () => {
    const rows = diffRows(diff({ oldStart: 9, newStart: 9, lines: lines(" -+ ") }, { oldStart: 40, newStart: 41, lines: lines("+") }));
    expect(rows.map(({ kind, before, after, isFirst }) => [kind, before, after, isFirst])).toEqual([
      ["context", 9, 9, true],
      ["removed", 10, undefined, false],
      ["added", undefined, 10, false],
      ["context", 11, 11, false],
      ["added", undefined, 41, true],
    ]);
    expect(numberWidth(rows)).toBe(2);
    expect(rows.map((row) => lineNumbers(row, 2))).toEqual([" 9  9", "10   ", "   10", "11 11", "   41"]);
  });

  it("of a new and of a deleted file have numbers on one side", () => {
    expect(diffRows(diff({ oldStart: 0, newStart: 1, lines: lines("++") })).map(({ before, after }) => [before, after])).toEqual([[undefined, 1], [undefined, 2]]);
    expect(diffRows(diff({ oldStart: 1, newStart: 0, lines: lines("--") })).map(({ before, after }) => [before, after])).toEqual([[1, undefined], [2, undefined]]);
  });

  it("are bounded in number, over all places together", () => {
    const hunk = { oldStart: 1, newStart: 1, lines: lines("+".repeat(MAX_LINES - 1)) };
    const long = diff(hunk, { oldStart: 1, newStart: MAX_LINES, lines: lines("-+-") }, hunk);
    expect(diffRows(long)).toHaveLength(MAX_LINES);
    expect(diffRows(long).at(-1)).toMatchObject({ kind: "removed", isFirst: true });
    expect(countLines(long)).toBe(2 * MAX_LINES + 1);
  });

  it("are bounded in length, and say how much is missing", () => {
    const [row] = diffRows(diff({ oldStart: 1, newStart: 1, lines: [{ kind: "added", text: "x".repeat(MAX_LENGTH + 7) }] }));
    expect([row?.text.length, row?.cut]).toEqual([MAX_LENGTH, 7]);
  });
});
