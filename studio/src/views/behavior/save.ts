// Writes a file, unless it is another one by now.
// Promises: what somebody else wrote meanwhile is not overwritten unseen. Between the look and the writing there is a
// moment; the gateway has no writing that names what was seen.
import type { AgentFileAnswer } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import type { FileName } from "./files";

export type Files = {
  read(agentId: string, name: FileName): Promise<AgentFileAnswer>;
  write(agentId: string, name: FileName, content: string): Promise<AgentFileAnswer>;
};

export const files: Files = {
  read: (agentId, name) => call("agents.files.get", { agentId, name }),
  write: (agentId, name, content) => call("agents.files.set", { agentId, name, content }),
};

/** What a file says; `null` when it is not there. */
export const contentOf = (answer: AgentFileAnswer): string | null => answer.file.content ?? null;

export type Saving = { agentId: string; name: FileName; seen: string | null; text: string };

/** The file after it was written, or as it was found when it is not the one that was seen. */
export type Saved = { wrote: boolean; now: AgentFileAnswer };

export async function save({ agentId, name, seen, text }: Saving, over: Files = files): Promise<Saved> {
  const now = await over.read(agentId, name);
  if (contentOf(now) !== seen) return { wrote: false, now };
  return { wrote: true, now: await over.write(agentId, name, text) };
}
