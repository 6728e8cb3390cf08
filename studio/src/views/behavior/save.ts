// Writes a file, unless it is another one by now.
// Promises: what somebody else wrote meanwhile is not overwritten unseen, however close to the writing it came: the
// gateway compares the file with what was seen, and writes under the same lock.
import type { AgentFileAnswer } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { asCallError } from "../../gateway/failure";
import type { FileName } from "./files";

export type Files = {
  read(agentId: string, name: FileName): Promise<AgentFileAnswer>;
  write(agentId: string, name: FileName, content: string, baseHash: string): Promise<AgentFileAnswer>;
};

export const files: Files = {
  read: (agentId, name) => call("agents.files.get", { agentId, name }),
  write: (agentId, name, content, baseHash) => call("agents.files.set", { agentId, name, content, baseHash }),
};

/** A file as it was seen: what it says (`null` when it is not there), and the hash by which a change names it. */
export type Version = { text: string | null; hash: string };

export const versionOf = (answer: AgentFileAnswer): Version => ({ text: answer.file.content ?? null, hash: answer.hash });

export type Saving = { agentId: string; name: FileName; seen: Version; text: string };

/** The file after it was written, or as it was found when it is not the one that was seen. */
export type Saved = { wrote: boolean; now: AgentFileAnswer };

export async function save({ agentId, name, seen, text }: Saving, over: Files = files): Promise<Saved> {
  try {
    return { wrote: true, now: await over.write(agentId, name, text, seen.hash) };
  } catch (thrown) {
    if (!asCallError(thrown).isStale) throw thrown;
  }
  const now = await over.read(agentId, name);
  const is = versionOf(now).text;
  // Whoever wrote it, it says what it was to say: the answer to an earlier try may have been lost.
  if (is === text) return { wrote: true, now };
  if (is !== seen.text) return { wrote: false, now };
  // Changed, and back to what was seen.
  return { wrote: true, now: await over.write(agentId, name, text, now.hash) };
}
