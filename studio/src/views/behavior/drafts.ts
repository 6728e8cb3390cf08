// What was typed and is not saved yet, by agent and file. It outlives the view: another tab that takes over, or a lost
// connection, takes nothing of it away.
import { computed, signal } from "@preact/signals";
import type { FileName } from "./files";
import type { Version } from "./save";

export type Draft = {
  /** The file when the typing began. */
  base: Version;
  text: string;
};

const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

const keyOf = (agentId: string, name: FileName) => `${agentId} ${name}`;

export const draftOf = (agentId: string, name: FileName): Draft | undefined => drafts.value.get(keyOf(agentId, name));

/** Keeps a text, or forgets it when it is what the file says. */
export function keepDraft(agentId: string, name: FileName, draft: Draft): void {
  const next = new Map(drafts.peek());
  if (draft.text === draft.base.text) next.delete(keyOf(agentId, name));
  else next.set(keyOf(agentId, name), draft);
  drafts.value = next;
}

export function dropDraft(agentId: string, name: FileName): void {
  const next = new Map(drafts.peek());
  next.delete(keyOf(agentId, name));
  drafts.value = next;
}

const hasDrafts = computed(() => drafts.value.size > 0);

// Closing the page would lose them: the browser asks first.
globalThis.window?.addEventListener("beforeunload", (event) => {
  if (hasDrafts.peek()) event.preventDefault();
});
