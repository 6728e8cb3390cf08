// Unsaved text by agent and file. It outlives the view, so that neither another live tab nor a lost connection discards
// it.
import { computed, signal } from "@preact/signals";
import type { FileName } from "./files";
import type { FileVersion } from "./save";

export type Draft = {
  /** The file when typing began. */
  base: FileVersion;
  text: string;
};

const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

const keyOf = (agentId: string, name: FileName) => `${agentId} ${name}`;

export const draftOf = (agentId: string, name: FileName): Draft | undefined => drafts.value.get(keyOf(agentId, name));

/** Stores a draft; one that equals the file is removed. */
export function setDraft(agentId: string, name: FileName, draft: Draft): void {
  const next = new Map(drafts.peek());
  if (draft.text === draft.base.text) next.delete(keyOf(agentId, name));
  else next.set(keyOf(agentId, name), draft);
  drafts.value = next;
}

export function discardDraft(agentId: string, name: FileName): void {
  const next = new Map(drafts.peek());
  next.delete(keyOf(agentId, name));
  drafts.value = next;
}

const hasDrafts = computed(() => drafts.value.size > 0);

// Closing the page would lose drafts: the browser asks first.
globalThis.window?.addEventListener("beforeunload", (event) => {
  if (hasDrafts.peek()) event.preventDefault();
});
