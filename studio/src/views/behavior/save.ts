// Writes a file, unless it has changed.
// A change by somebody else is never overwritten unseen: the gateway compares the hash and writes under the same lock.
import type { AgentFileAnswer } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { asCallError } from "../../gateway/failure";
import type { FileName } from "./files";

export type FileStore = {
  read(agentId: string, name: FileName): Promise<AgentFileAnswer>;
  write(agentId: string, name: FileName, content: string, baseHash: string): Promise<AgentFileAnswer>;
};

export const fileStore: FileStore = {
  read: (agentId, name) => call("agents.files.get", { agentId, name }),
  write: (agentId, name, content, baseHash) => call("agents.files.set", { agentId, name, content, baseHash }),
};

/** A seen state of a file: its text (`null` if missing), and the hash that a write names. */
export type FileVersion = { text: string | null; hash: string };

export const versionOf = (answer: AgentFileAnswer): FileVersion => ({ text: answer.file.content ?? null, hash: answer.hash });

export type SaveRequest = { agentId: string; name: FileName; seen: FileVersion; text: string };

/** The file after the write, or as found if it had changed. */
export type SaveOutcome = { wrote: boolean; now: AgentFileAnswer };

export async function save({ agentId, name, seen, text }: SaveRequest, over: FileStore = fileStore): Promise<SaveOutcome> {
  try {
    return { wrote: true, now: await over.write(agentId, name, text, seen.hash) };
  } catch (thrown) {
    if (!asCallError(thrown).isStale) throw thrown;
  }
  const now = await over.read(agentId, name);
  const is = versionOf(now).text;
  // It already has the wanted text: the answer to an earlier attempt may have been lost.
  if (is === text) return { wrote: true, now };
  if (is !== seen.text) return { wrote: false, now };
  // Changed and changed back: write again with the new hash.
  return { wrote: true, now: await over.write(agentId, name, text, now.hash) };
}
