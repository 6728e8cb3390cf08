// The files that a turn changed, under its answer: one line; opened, each file, and on demand its changed lines.
import { useSignal } from "@preact/signals";
import { useId, useRef } from "preact/hooks";
import type { FileChange, RunChanges } from "../../generated/protocol";
import { canWrite, supportsMethod } from "../../gateway/calls";
import { Button, ErrorState, Icon, type IconName, ShowMore } from "../../components";
import { type ChangedFiles, type ChangesByRun, countUndone, hasUndo, lineCounts } from "../../state/chat/changes";
import type { Resource } from "../../state/resource";
import { number, t } from "../../words";
import { visibleText, withMarks } from "../../words/visible";
import { FileDiff } from "./FileDiff";

/** Files rendered at first, and with each press of the button. */
const STEP = 100;

export function Changes({ run, changed }: { run: RunChanges; changed: ChangedFiles }) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const shown = useSignal(STEP);
  const { isOpen } = changed.openOf(run.runId);
  const { files } = run;
  const title = t("changes.files", { n: files.length });
  return (
    <div class="msg more">
      <span />
      <section class="changes" aria-label={title}>
        <div class="head">
          <button type="button" class="fold" aria-expanded={isOpen.value} aria-controls={id} onClick={() => (isOpen.value = !isOpen.value)}>
            <Icon name="right" size="s" class="chev" />
            <Icon name="edit" />
            <span>{title}</span>
            <LineCounts {...lineCounts(files)} />
          </button>
          <div class="end">
            <UndoneCount files={files} />
            {hasUndo(files) && supportsMethod("sessions.undo") && canWrite() && (
              <Button kind="quiet" small icon="reset" label={t("changes.undo")} title={t("changes.undo")} onClick={() => changed.askUndo(run.runId)}>
                {t("shared.undo")}
              </Button>
            )}
          </div>
        </div>
        <div id={id} hidden={!isOpen.value}>
          {isOpen.value && (
            <>
              <ul ref={list} tabIndex={-1} aria-label={title}>
                {files.slice(0, shown.value).map((file) => (
                  <li key={file.path}>
                    <File runId={run.runId} file={file} changed={changed} />
                  </li>
                ))}
              </ul>
              <ShowMore left={files.length - shown.value} step={STEP} label={(n) => t("changes.moreFiles", { n })} list={list} onMore={(n) => (shown.value += n)} />
            </>
          )}
        </div>
      </section>
    </div>
  );
}

/** A list that cannot be loaded is not an empty one. */
export function ChangesFailed({ list }: { list: Resource<ChangesByRun> }) {
  const state = list.state.value;
  if (state.state !== "failed") return null;
  return (
    <div class="above">
      <ErrorState error={state.error} title={t("changes.failed")} busy={list.busy.value} onRetry={() => void list.reload()} />
    </div>
  );
}

const kindIcons: Record<FileChange["kind"], IconName> = { added: "plus", modified: "edit", deleted: "trash", moved: "right" };

function File({ runId, file, changed }: { runId: string; file: FileChange; changed: ChangedFiles }) {
  const id = useId();
  const diff = changed.openOf(runId).diffs.value.get(file.path);
  return (
    <>
      <button type="button" class="fold file" aria-expanded={diff !== undefined} aria-controls={id} onClick={() => changed.toggleDiff(runId, file.path)}>
        <Icon name="right" size="s" class="chev" />
        <span class="kind">
          <Icon name={kindIcons[file.kind]} size="s" />
          {t(`changes.kind_${file.kind}`)}
        </span>
        <span class="path">
          <Path path={file.path} />
          {file.movedFrom !== undefined && <span class="meta">{t("changes.movedFrom", { path: visibleText(file.movedFrom) })}</span>}
        </span>
        <LineCounts added={file.added} removed={file.removed} />
      </button>
      {file.undo !== "possible" && (
        <p class="meta undo">{file.undo === "undone" ? t("changes.undone") : t(`changes.state_${file.undo}`)}</p>
      )}
      <div id={id} hidden={!diff}>
        {diff && <FileDiff path={file.path} from={diff} />}
      </div>
    </>
  );
}

export const Path = ({ path }: { path: string }) => <code dir="ltr">{withMarks(path)}</code>;

function LineCounts({ added, removed }: { added: number | null; removed: number | null }) {
  if (added === null || removed === null) return <span class="counts">{t("changes.notText")}</span>;
  return (
    <span class="counts num">
      <span aria-hidden="true">
        <span class="plus">+{number(added)}</span> <span class="minus">−{number(removed)}</span>
      </span>
      <span class="sr">{t("changes.lines", { added, removed })}</span>
    </span>
  );
}

function UndoneCount({ files }: { files: readonly FileChange[] }) {
  const n = countUndone(files);
  if (n === 0) return null;
  return (
    <span class="undone">
      <Icon name="check" size="s" />
      {n === files.length ? t("changes.undone") : t("changes.someUndone", { n, all: files.length })}
    </span>
  );
}
