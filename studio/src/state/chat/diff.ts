// The diff of a file as lines to render, bounded in number and length.
import type { DiffLineKind, FileDiff } from "../../generated/protocol";

/** More lines of one file are not rendered. */
export const MAX_LINES = 20_000;
export const MAX_LENGTH = 2_000;

export type DiffRow = {
  kind: DiffLineKind;
  /** The numbers of the line before and after the change. */
  before?: number;
  after?: number;
  text: string;
  /** The number of characters that are left out at its end. */
  cut: number;
  /** A changed place begins here. */
  isFirst: boolean;
};

export function diffRows(diff: FileDiff): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  for (const { oldStart, newStart, lines } of diff.hunks) {
    let [before, after] = [oldStart, newStart];
    for (const { kind, text } of lines.slice(0, MAX_LINES - rows.length)) {
      const row = { kind, text: text.slice(0, MAX_LENGTH), cut: Math.max(0, text.length - MAX_LENGTH), isFirst: before === oldStart && after === newStart };
      rows.push({ ...row, ...(kind !== "added" && { before: before++ }), ...(kind !== "removed" && { after: after++ }) });
    }
  }
  return rows;
}

export const countLines = (diff: FileDiff): number => diff.hunks.reduce((sum, { lines }) => sum + lines.length, 0);

/** The numbers of a line in two columns of equal width. */
export const lineNumbers = ({ before, after }: DiffRow, width: number): string =>
  [before, after].map((line) => String(line ?? "").padStart(width)).join(" ");

/** The digits of the greatest line number. */
export const numberWidth = (rows: readonly DiffRow[]): number =>
  String(rows.reduce((most, { before = 0, after = 0 }) => Math.max(most, before, after), 0)).length;
