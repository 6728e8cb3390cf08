// Changes of one agent's skill access, one after the other; only the changed skill is busy.
// A failed change stays until it is retried or dismissed; a change without effect is not written.
import { signal } from "@preact/signals";
import { type CallError, asCallError } from "../../gateway/failure";
import { changeConfig, isEqual } from "../config";
import { type AgentSkills, type AllowedNames, accessOf, withNames } from "./access";

/** A skill by name, or the whole list. */
export type ChangeSubject = string | typeof WHOLE;
export const WHOLE = Symbol("the whole choice");

export type FailedChange = { error: CallError; again: () => void };

/** Computes the agent's own list from its access in the newest version of the file. */
type ComputeNames = (now: AgentSkills) => AllowedNames;

export type AccessChanges = ReturnType<typeof accessChanges>;

/** `after` reloads what is shown; the subject is busy until then. */
export function accessChanges(agentId: string, after: () => Promise<unknown>, write: typeof changeConfig = changeConfig) {
  const busy = signal<ReadonlySet<ChangeSubject>>(new Set());
  const failed = signal<ReadonlyMap<ChangeSubject, FailedChange>>(new Map());
  let last: Promise<unknown> = Promise.resolve();

  /** `done` receives the undo function if something was written. */
  const change = (subject: ChangeSubject, make: ComputeNames, done?: (takeBack: () => void) => void): Promise<void> => {
    if (busy.peek().has(subject)) return Promise.resolve();
    dismiss(subject);
    busy.value = new Set(busy.peek()).add(subject);
    const run = async () => {
      let before: AllowedNames;
      try {
        const { wrote } = await write((config) => {
          const now = accessOf(config, agentId);
          before = now.own;
          const next = make(now);
          return isEqual(next, now.own) ? config : withNames(config, agentId, next);
        });
        await after();
        if (wrote) done?.(() => void change(subject, () => before));
      } catch (thrown) {
        const again = () => void change(subject, make, done);
        failed.value = new Map(failed.peek()).set(subject, { error: asCallError(thrown), again });
      } finally {
        const rest = new Set(busy.peek());
        rest.delete(subject);
        busy.value = rest;
      }
    };
    const own = last.then(run);
    last = own;
    return own;
  };

  const dismiss = (subject: ChangeSubject): void => {
    if (!failed.peek().has(subject)) return;
    const rest = new Map(failed.peek());
    rest.delete(subject);
    failed.value = rest;
  };

  return { busy, failed, change, dismiss };
}
