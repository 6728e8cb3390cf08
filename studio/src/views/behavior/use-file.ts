// One file of an agent: its text, its draft, and saving.
// A draft is kept until it is saved or discarded; a file changed elsewhere is reported (`other`) and not overwritten
// without confirmation.
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import type { AgentFileAnswer } from "../../generated/protocol";
import { type CallError, asCallError } from "../../gateway/failure";
import { agents } from "../../state/agents";
import { type Resource, useResource } from "../../state/resource";
import { go, settings } from "../../state/route";
import { showToast } from "../../state/toast";
import { t } from "../../words";
import { type Draft, draftOf, discardDraft, setDraft } from "./drafts";
import type { FileName } from "./files";
import { type FileVersion, fileStore, save, versionOf } from "./save";
import { fromField } from "./text";

export type OpenFile = {
  readonly from: Resource<AgentFileAnswer>;
  readonly draft: Draft | undefined;
  /** The file's text, if it is not what the draft began with. */
  readonly other: { text: string | null } | undefined;
  readonly busy: boolean;
  readonly error: CallError | undefined;
  type(field: string): void;
  create(): void;
  revert(): void;
  /** True if it was saved. */
  save(): Promise<boolean>;
  /** Saves over another change. */
  overwrite(): Promise<boolean>;
};

export function useFile(agentId: string, name: FileName, onFile: () => void): OpenFile {
  const from = useResource(
    () => fileStore.read(agentId, name),
    // The agent may have written the file in a turn.
    { on: { "session.message": ({ sessionKey }) => sessionKey.startsWith(`agent:${agentId}:`) } },
    [agentId, name],
  );
  const busy = useSignal(false);
  const error = useSignal<CallError | undefined>(undefined);
  useReloadOnReturn(from);

  const known = from.value.value;
  const now = known && versionOf(known);
  const draft = draftOf(agentId, name);

  const publish = (answer: AgentFileAnswer) => {
    from.set(answer);
    onFile();
    // The file may hold the agent's name and avatar.
    if (name === "IDENTITY.md") void agents.reload();
  };

  const saveOver = async (seen: FileVersion): Promise<boolean> => {
    const draft = draftOf(agentId, name);
    if (!draft || busy.peek()) return false;
    busy.value = true;
    error.value = undefined;
    try {
      const saved = await save({ agentId, name, seen, text: draft.text });
      if (!saved.wrote) {
        from.set(saved.now);
        return false;
      }
      // Text typed during the save continues from the saved version.
      const base = versionOf(saved.now);
      setDraft(agentId, name, { base, text: draftOf(agentId, name)?.text ?? draft.text });
      publish(saved.now);
      const before = seen.text;
      const undo = before === null ? undefined : () => void undoSave(agentId, name, base, before, publish);
      showToast({ text: t("behavior.saved", { file: name }), detail: t("behavior.savedDetail"), ...(undo && { undo }) });
      return true;
    } catch (thrown) {
      error.value = asCallError(thrown);
      return false;
    } finally {
      busy.value = false;
    }
  };

  return {
    from,
    draft,
    other: draft && now && now.text !== draft.base.text ? { text: now.text } : undefined,
    busy: busy.value,
    error: error.value,
    type: (field) => {
      const base = draft ? draft.base : now;
      if (base) setDraft(agentId, name, { base, text: fromField(field, base.text ?? "") });
    },
    create: () => {
      if (now) setDraft(agentId, name, { base: now, text: "" });
    },
    revert: () => {
      error.value = undefined;
      discardDraft(agentId, name);
    },
    save: () => (draft ? saveOver(draft.base) : Promise.resolve(false)),
    overwrite: () => {
      if (!draft || !now) return Promise.resolve(false);
      setDraft(agentId, name, { base: now, text: draft.text });
      return saveOver(now);
    },
  };
}

/** Restores the text before a save. If that fails, the old text becomes the draft. */
async function undoSave(agentId: string, name: FileName, saved: FileVersion, before: string, publish: (answer: AgentFileAnswer) => void) {
  try {
    const back = await save({ agentId, name, seen: saved, text: before });
    if (back.wrote) {
      publish(back.now);
      showToast({ text: t("behavior.restored", { file: name }) });
      return;
    }
    publish(back.now);
  } catch {
    // The editor shows the old text as unsaved.
  }
  setDraft(agentId, name, { base: saved, text: before });
  go(settings("behavior", { agentId, item: name }));
}

/** The file may have been changed in another window. */
function useReloadOnReturn(from: Resource<unknown>): void {
  useLayoutEffect(() => {
    const look = () => void from.reload();
    window.addEventListener("focus", look);
    return () => window.removeEventListener("focus", look);
  }, [from]);
}
