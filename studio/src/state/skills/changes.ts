// Changes of what one agent may use: one after the other, each with what it is about, so that only that is busy.
// Promises: a change that fails is kept with its subject until it is tried again or dismissed; nothing is written when
// nothing changes. Leaves to others: asking before, and the words.
import { signal } from "@preact/signals";
import { type CallError, asCallError } from "../../gateway/failure";
import { changeConfig, isSame } from "../config";
import { type Access, type Names, accessOf, withNames } from "./access";

/** What a change is about: a skill by its name, or the whole choice. */
export type Subject = string | typeof WHOLE;
export const WHOLE = Symbol("the whole choice");

export type Failed = { error: CallError; again: () => void };

/** Makes the agent's own list from how its access stands in the newest version of the file. */
type Make = (now: Access) => Names;

export type AccessChanges = ReturnType<typeof accessChanges>;

/** `after`: reads what is shown again; the subject is busy until then. */
export function accessChanges(agentId: string, after: () => Promise<unknown>, write: typeof changeConfig = changeConfig) {
  const busy = signal<ReadonlySet<Subject>>(new Set());
  const failed = signal<ReadonlyMap<Subject, Failed>>(new Map());
  let last: Promise<unknown> = Promise.resolve();

  /** `done` is told how to take it back, when something was written. */
  const change = (subject: Subject, make: Make, done?: (takeBack: () => void) => void): Promise<void> => {
    if (busy.peek().has(subject)) return Promise.resolve();
    dismiss(subject);
    busy.value = new Set(busy.peek()).add(subject);
    const run = async () => {
      let before: Names;
      try {
        const { wrote } = await write((config) => {
          const now = accessOf(config, agentId);
          before = now.own;
          const wanted = make(now);
          return isSame(wanted, now.own) ? config : withNames(config, agentId, wanted);
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

  const dismiss = (subject: Subject): void => {
    if (!failed.peek().has(subject)) return;
    const rest = new Map(failed.peek());
    rest.delete(subject);
    failed.value = rest;
  };

  return { busy, failed, change, dismiss };
}
