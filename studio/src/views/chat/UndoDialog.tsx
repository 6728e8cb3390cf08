// The dialog that undoes the changes of a turn: what would happen to each file, then, once confirmed, what happened.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { UndoneFile } from "../../generated/protocol";
import { Button, Dialog, ErrorState, Icon, type IconName, ShowMore } from "../../components";
import type { ChangedFiles } from "../../state/chat/changes";
import { type Undo, type UndoStep, filesPutBack, refusedFirst } from "../../state/chat/undo";
import { t } from "../../words";
import { gatewayText, withFullStop } from "../../words/gateway-text";
import { rich } from "../../words/rich";
import { visibleText } from "../../words/visible";
import { Path } from "./Changes";

const STEP = 100;

/** Outside of the conversation, whose rows come and go. */
export function AskUndo({ changed }: { changed: ChangedFiles }) {
  const undo = changed.undo.value;
  useLayoutEffect(() => {
    if (!undo) return undefined;
    return () => {
      // The button that opened the dialog is gone when nothing is left to undo.
      if (document.activeElement === document.body) document.getElementById("msg")?.focus();
    };
  }, [undo]);
  return undo ? <UndoDialog undo={undo} onClose={() => changed.endUndo()} /> : null;
}

function UndoDialog({ undo, onClose }: { undo: Undo; onClose: () => void }) {
  const status = useRef<HTMLParagraphElement>(null);
  const step = undo.step.value;
  // A pressed button may be gone with its step.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) status.current?.focus();
  }, [step.state]);
  return (
    <Dialog scope="agent" narrow title={titleOf(step)} label={t("changes.undoDetails")} onClose={onClose} footer={<Buttons step={step} undo={undo} onClose={onClose} />}>
      <p ref={status} class="undo-status" role="status" tabIndex={-1} data-first>
        {statusOf(step)}
      </p>
      {step.state === "failed" ? (
        <ErrorState error={step.error} title={t(step.isUndo ? "changes.undoFailed" : "changes.checkFailed")} onRetry={() => void undo.check()} />
      ) : (
        step.state !== "checking" && <Files files={step.files} isDone={step.state === "done"} />
      )}
    </Dialog>
  );
}

function titleOf(step: UndoStep): string {
  if (step.state !== "done") return t("changes.undoTitle");
  return filesPutBack(step.files).length > 0 ? t("changes.doneTitle") : t("changes.notDoneTitle");
}

function statusOf(step: UndoStep): string {
  if (step.state === "checking") return t("changes.checking");
  if (step.state === "undoing") return t("changes.undoing");
  if (step.state === "failed") return "";
  const n = filesPutBack(step.files).length;
  const refused = step.files.filter(({ outcome }) => outcome === "refused").length;
  const isDone = step.state === "done";
  const back = n > 0 && t(isDone ? "changes.isBack" : "changes.putsBack", { n });
  const left = refused > 0 && t(isDone ? "changes.wasLeft" : "changes.leaves", { n: refused });
  return [back || (!isDone && t("changes.nothing")), left].filter(Boolean).join(" ");
}

function Buttons({ step, undo, onClose }: { step: UndoStep; undo: Undo; onClose: () => void }) {
  const n = step.state === "preview" || step.state === "undoing" ? filesPutBack(step.files).length : 0;
  return (
    <>
      <span class="grow" />
      <Button onClick={onClose}>{n > 0 && step.state === "preview" ? t("shared.cancel") : t("shared.close")}</Button>
      {n > 0 && (
        <Button kind="primary" busy={step.state === "undoing"} onClick={() => void undo.confirm()}>
          {t("changes.undoYes", { n })}
        </Button>
      )}
    </>
  );
}

function Files({ files, isDone }: { files: readonly UndoneFile[]; isDone: boolean }) {
  const list = useRef<HTMLUListElement>(null);
  const shown = useSignal(STEP);
  return (
    <>
      <ul ref={list} class="undo-files" tabIndex={-1} aria-label={t("changes.undoDetails")}>
        {refusedFirst(files)
          .slice(0, shown.value)
          .map((file) => (
            <li key={file.path}>
              <Icon name={outcomeIcons[file.outcome]} class={file.outcome === "refused" ? "warn" : ""} />
              <div>
                <Path path={file.path} />
                <p>{outcomeText(file, isDone)}</p>
              </div>
            </li>
          ))}
      </ul>
      <ShowMore left={files.length - shown.value} step={STEP} label={(n) => t("changes.moreFiles", { n })} list={list} onMore={(n) => (shown.value += n)} />
    </>
  );
}

const outcomeIcons: Record<UndoneFile["outcome"], IconName> = { restored: "reset", removed: "trash", unchanged: "check", refused: "warn" };

function outcomeText(file: UndoneFile, isDone: boolean) {
  if (file.outcome !== "refused") return t(`changes.${isDone ? "did" : "will"}_${file.outcome}`);
  const reason = gatewayText(visibleText(withFullStop(file.reason)));
  return rich(isDone ? "changes.did_refused" : "changes.will_refused", { reason });
}
