// The changed lines of a file. A sign and its element mark each line, colour repeats it; a long diff is rendered in steps.
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { FileDiff as Diff } from "../../generated/protocol";
import { Load, ShowMore } from "../../components";
import { type DiffRow, countLines, diffRows, lineNumbers, numberWidth } from "../../state/chat/diff";
import type { Resource } from "../../state/resource";
import { t } from "../../words";
import { visibleText, withMarks } from "../../words/visible";

/** Lines rendered at first, and laid out together: the browser skips those out of sight. */
const CHUNK = 500;
/** Lines added with each press of the button. */
const STEP = 4 * CHUNK;

export function FileDiff({ path, from }: { path: string; from: Resource<Diff | undefined> }) {
  return (
    <div class="diff">
      <Load from={from} loading={t("changes.diffReading")} failed={t("changes.diffFailed")}>
        {(diff) => <Lines path={path} diff={diff ?? { path, hunks: [] }} />}
      </Load>
    </div>
  );
}

function Lines({ path, diff }: { path: string; diff: Diff }) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useSignal(CHUNK);
  // The same elements again: Preact skips the lines that are rendered already.
  const { chunks, count } = useMemo(() => chunksOf(diffRows(diff)), [diff]);
  return (
    <>
      {count > 0 && (
        <div ref={box} class="lines" role="group" aria-label={t("changes.diffOf", { path: visibleText(path) })} tabIndex={0} dir="ltr">
          <div class="wide">{chunks.slice(0, Math.ceil(shown.value / CHUNK))}</div>
        </div>
      )}
      <ShowMore left={count - shown.value} step={STEP} label={(n) => t("changes.moreLines", { n })} list={box} onMore={(n) => (shown.value += n)} />
      {count === 0 && !diff.omitted && <p class="meta">{t("changes.noLines")}</p>}
      {count < countLines(diff) && <p class="meta">{t("changes.onlyFirst", { n: count })}</p>}
      {diff.omitted && <p class="meta">{t(`changes.omitted_${diff.omitted}`)}</p>}
    </>
  );
}

function chunksOf(rows: readonly DiffRow[]): { chunks: VNode[]; count: number } {
  const width = numberWidth(rows);
  const starts = Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, index) => index * CHUNK);
  return { chunks: starts.map((start) => <Chunk key={start} rows={rows.slice(start, start + CHUNK)} width={width} />), count: rows.length };
}

const Chunk = ({ rows, width }: { rows: readonly DiffRow[]; width: number }) => (
  <div class="chunk">
    {rows.map((row, index) => (
      <Line key={index} row={row} width={width} />
    ))}
  </div>
);

const LINES = { added: { Element: "ins", sign: "+" }, removed: { Element: "del", sign: "-" }, context: { Element: "div", sign: " " } } as const;

function Line({ row, width }: { row: DiffRow; width: number }) {
  const { Element, sign } = LINES[row.kind];
  return (
    <>
      {row.isFirst && <div class="at">{t("changes.atLine", { n: row.after ?? row.before ?? 0 })}</div>}
      <Element class={row.kind}>
        <span class="sign" data-lines={lineNumbers(row, width)}>
          {sign}
        </span>
        {withMarks(row.text)}
        {row.cut > 0 && <span class="rest">{t("changes.cut", { n: row.cut })}</span>}
      </Element>
    </>
  );
}
