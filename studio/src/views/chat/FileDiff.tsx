// The changed lines of a file. A sign and its element mark each line, colour repeats it; a long diff is rendered in steps.
import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { FileDiff as Diff } from "../../generated/protocol";
import { Load, ShowMore } from "../../components";
import { type DiffRow, countLines, diffRows, lineNumbers, numberWidth } from "../../state/chat/diff";
import type { Resource } from "../../state/resource";
import { t } from "../../words";
import { visibleText, withMarks } from "../../words/visible";

/** Rendered at first, and with each press of the button. */
const FIRST = 300;
const STEP = 2_000;

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
  const shown = useSignal(FIRST);
  const { rows, width, isCut } = useMemo(() => {
    const rows = diffRows(diff);
    return { rows, width: numberWidth(rows), isCut: rows.length < countLines(diff) };
  }, [diff]);
  return (
    <>
      {rows.length > 0 && (
        <div ref={box} class="lines" role="group" aria-label={t("changes.diffOf", { path: visibleText(path) })} tabIndex={0} dir="ltr">
          <div class="wide">
            {rows.slice(0, shown.value).map((row, index) => (
              <Line key={index} row={row} width={width} />
            ))}
          </div>
        </div>
      )}
      <ShowMore left={rows.length - shown.value} step={STEP} label={(n) => t("changes.moreLines", { n })} list={box} onMore={(n) => (shown.value += n)} />
      {rows.length === 0 && !diff.omitted && <p class="meta">{t("changes.noLines")}</p>}
      {isCut && <p class="meta">{t("changes.onlyFirst", { n: rows.length })}</p>}
      {diff.omitted && <p class="meta">{t(`changes.omitted_${diff.omitted}`)}</p>}
    </>
  );
}

const LINES = { added: { Element: "ins", sign: "+" }, removed: { Element: "del", sign: "-" }, context: { Element: "div", sign: " " } } as const;

function Line({ row, width }: { row: DiffRow; width: number }) {
  const { Element, sign } = LINES[row.kind];
  return (
    <>
      {row.isFirst && <div class="at">{t("changes.atLine", { n: row.after ?? row.before ?? 0 })}</div>}
      <Element class={row.kind}>
        <span class="no">{lineNumbers(row, width)}</span>
        {sign}
        <span class="text">{withMarks(row.text)}</span>
        {row.cut > 0 && <span class="no">{t("changes.cut", { n: row.cut })}</span>}
      </Element>
    </>
  );
}
