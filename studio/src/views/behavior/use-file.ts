// One file of an agent on the page: what it says, what was typed, and saving it.
// Promises: what is typed is kept until it is saved or dropped; a file that changed elsewhere is told (`other`) and is
// not overwritten until somebody says so.
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import type { AgentFileAnswer } from "../../generated/protocol";
import { type CallError, asCallError } from "../../gateway/failure";
import { agents } from "../../state/agents";
import { type Resource, useResource } from "../../state/resource";
import { go, settings } from "../../state/route";
import { showToast } from "../../state/toast";
import { t } from "../../words";
import { type Draft, draftOf, dropDraft, keepDraft } from "./drafts";
import type { FileName } from "./files";
import { type Version, files, save, versionOf } from "./save";
import { fromField } from "./text";

export type OpenFile = {
  readonly from: Resource<AgentFileAnswer>;
  readonly draft: Draft | undefined;
  /** What the file says, when it is not what the draft began with. */
  readonly other: { text: string | null } | undefined;
  readonly busy: boolean;
  readonly error: CallError | undefined;
  type(field: string): void;
  create(): void;
  revert(): void;
  /** True when it is saved. */
  save(): Promise<boolean>;
  /** Saves over what somebody else wrote. */
  overwrite(): Promise<boolean>;
};

export function useFile(agentId: string, name: FileName, onFile: () => void): OpenFile {
  const from = useResource(
    () => files.read(agentId, name),
    // The agent may have written it in a turn.
    { on: { "session.message": ({ sessionKey }) => sessionKey.startsWith(`agent:${agentId}:`) } },
    [agentId, name],
  );
  const busy = useSignal(false);
  const error = useSignal<CallError | undefined>(undefined);
  useReloadOnReturn(from);

  const known = from.value.value;
  const now = known && versionOf(known);
  const draft = draftOf(agentId, name);

  const tell = (answer: AgentFileAnswer) => {
    from.set(answer);
    onFile();
    // Its name and face may stand in this file.
    if (name === "IDENTITY.md") void agents.reload();
  };

  const saveOver = async (seen: Version): Promise<boolean> => {
    const wanted = draftOf(agentId, name);
    if (!wanted || busy.peek()) return false;
    busy.value = true;
    error.value = undefined;
    try {
      const saved = await save({ agentId, name, seen, text: wanted.text });
      if (!saved.wrote) {
        from.set(saved.now);
        return false;
      }
      // What was typed meanwhile goes on from what is saved.
      const base = versionOf(saved.now);
      keepDraft(agentId, name, { base, text: draftOf(agentId, name)?.text ?? wanted.text });
      tell(saved.now);
      const before = seen.text;
      const undo = before === null ? undefined : () => void takeBack(agentId, name, base, before, tell);
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
      if (base) keepDraft(agentId, name, { base, text: fromField(field, base.text ?? "") });
    },
    create: () => {
      if (now) keepDraft(agentId, name, { base: now, text: "" });
    },
    revert: () => {
      error.value = undefined;
      dropDraft(agentId, name);
    },
    save: () => (draft ? saveOver(draft.base) : Promise.resolve(false)),
    overwrite: () => {
      if (!draft || !now) return Promise.resolve(false);
      keepDraft(agentId, name, { base: now, text: draft.text });
      return saveOver(now);
    },
  };
}

/** Puts back what a file said before it was saved. Where that cannot be done, the old text is there to be saved. */
async function takeBack(agentId: string, name: FileName, saved: Version, before: string, tell: (answer: AgentFileAnswer) => void) {
  try {
    const back = await save({ agentId, name, seen: saved, text: before });
    if (back.wrote) {
      tell(back.now);
      showToast({ text: t("behavior.restored", { file: name }) });
      return;
    }
    tell(back.now);
  } catch {
    // Said by the editor, which shows the old text as not saved.
  }
  keepDraft(agentId, name, { base: saved, text: before });
  go(settings("behavior", { agentId, item: name }));
}

/** Whoever comes back from another window may have changed the file there. */
function useReloadOnReturn(from: Resource<unknown>): void {
  useLayoutEffect(() => {
    const look = () => void from.reload();
    window.addEventListener("focus", look);
    return () => window.removeEventListener("focus", look);
  }, [from]);
}
