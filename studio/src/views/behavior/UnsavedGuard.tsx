// Asks before navigation discards unsaved changes: another file, view or agent, or a step back.
// Closing the page is handled in drafts.ts.
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AgentEntry } from "../../generated/protocol";
import { Button, ErrorState, Icon, useModal } from "../../components";
import { agentName } from "../../state/agents";
import { type Route, go, guardLeaving } from "../../state/route";
import { t } from "../../words";
import { type FileName, fileOf } from "./files";
import { draftOf } from "./drafts";
import type { OpenFile } from "./use-file";

type UnsavedProps = { agent: AgentEntry; name: FileName; file: OpenFile };

export function UnsavedGuard({ agent, name, file }: UnsavedProps) {
  const [to, ask] = useState<Route>();
  const isHere = (next: Route) =>
    next.view === "settings" && next.tab === "behavior" && (next.agentId ?? agent.id) === agent.id && fileOf(next.item) === name;
  // A layout effect: what is typed right after the first render is protected too.
  useLayoutEffect(
    () =>
      guardLeaving((next) => {
        if (isHere(next) || !draftOf(agent.id, name)) return true;
        ask(next);
        return false;
      }),
    [agent.id, name],
  );
  if (!to) return null;
  const leave = () => {
    ask(undefined);
    go(to);
  };
  return <UnsavedDialog agent={agent} name={name} file={file} onLeave={leave} onStay={() => ask(undefined)} />;
}

function UnsavedDialog({ agent, name, file, onLeave, onStay }: UnsavedProps & { onLeave: () => void; onStay: () => void }) {
  const id = useId();
  const ref = useModal(onStay);
  const wasClash = useRef(file.other !== undefined);
  // The conflict appeared only now: it is resolved in the editor.
  useLayoutEffect(() => {
    if (file.other && !wasClash.current) onStay();
  }, [file.other]);
  const saveAndLeave = async () => {
    if (await file.save()) onLeave();
  };
  const discard = () => {
    file.revert();
    onLeave();
  };
  return (
    <dialog ref={ref} class="askbox" role="alertdialog" data-scope="agent" aria-labelledby={`${id}t`} aria-describedby={`${id}d`}>
      <h2 id={`${id}t`}>{t("behavior.unsavedTitle", { file: name })}</h2>
      <ul id={`${id}d`}>
        <li>
          <Icon name="check" />
          <span>{t("behavior.unsavedWhat", { name: agentName(agent) })}</span>
        </li>
        <li>
          <Icon name="trash" />
          <span>{t("behavior.unsavedLost")}</span>
        </li>
      </ul>
      {file.error && <ErrorState error={file.error} title={t("behavior.notSaved", { file: name })} />}
      <div class="btns">
        <Button kind="primary" busy={file.busy} disabled={!!file.other} onClick={() => void saveAndLeave()}>
          {t("behavior.saveAndGo")}
        </Button>
        <Button onClick={onStay}>{t("behavior.keepEditing")}</Button>
        <Button kind="danger" apart onClick={discard}>
          {t("behavior.discard")}
        </Button>
      </div>
    </dialog>
  );
}
