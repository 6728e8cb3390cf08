// Installing what a skill needs: asked for once, told of line by line, and ended when somebody says so.
// Promises: only where the gateway says that it can; the output is bounded, its newest part stays, also of one that was
// stopped; one that goes on elsewhere, or after a lost connection, is known as soon as it writes something.
// Leaves to others: what is shown (views/setup/configure/Install.tsx).
import { signal } from "@preact/signals";
import type { SkillSetUp, SkillsInstallEnded } from "../../generated/protocol";
import { on } from "../../gateway/events";
import { call, knows } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";

/** Longer than the gateway lets a program run. */
const PATIENCE_MS = 16 * 60_000;
const MOST_CHARS = 200_000;

export const canInstall = (): boolean => knows("skills.install");

export type Installation = {
  skillKey: string;
  name: string;
  installId: string;
  /** Unknown of one that began elsewhere. */
  startedAt?: number;
  /** Whether its answer comes to this page. */
  isOwn: boolean;
  output: string;
  /** It was asked to end. */
  isStopping?: boolean;
  /** Why it could not be asked to. */
  notStopped?: CallError | undefined;
  result?: SkillSetUp | undefined;
  error?: CallError | undefined;
  /** How one ended whose answer does not come here. */
  ended?: SkillsInstallEnded | undefined;
};

/** The last installation of each skill, by its key; it goes on while its dialog is closed. */
export const installations = signal<ReadonlyMap<string, Installation>>(new Map());

export const isRunning = (one: Installation | undefined): boolean => one !== undefined && !one.result && !one.error && !one.ended;

export async function install(skillKey: string, name: string, installId: string): Promise<void> {
  if (isRunning(installations.peek().get(skillKey))) return;
  put({ skillKey, name, installId, startedAt: Date.now(), isOwn: true, output: "" });
  try {
    const result = await call("skills.install", { name, installId }, { timeoutMs: PATIENCE_MS });
    // What was missed on the way is in the answer.
    change(skillKey, (one) => ({ ...one, result, output: one.output || tail(result.stdout + result.stderr) }));
  } catch (thrown) {
    change(skillKey, (one) => ({ ...one, error: asCallError(thrown) }));
  }
}

/** Asks for the end of one that runs; that it has ended is told like any other end. */
export async function stop({ skillKey, name, installId }: Installation): Promise<void> {
  change(skillKey, (one) => ({ ...one, isStopping: true, notStopped: undefined }));
  try {
    await call("skills.install.stop", { name, installId });
  } catch (thrown) {
    const error = asCallError(thrown);
    // It may have ended by itself meanwhile, which is told too.
    const notStopped = error.reason === "not-found" ? undefined : error;
    change(skillKey, (one) => ({ ...one, isStopping: false, notStopped }));
  }
}

export const tail = (text: string): string => (text.length > MOST_CHARS ? text.slice(-MOST_CHARS) : text);

on("skills.install.output", ({ skillKey, name, installId, text }) => {
  const one = installations.peek().get(skillKey);
  if (one?.installId === installId && goesOn(one)) {
    put({ ...one, isOwn: one.isOwn && !one.error, error: undefined, output: tail(one.output + text) });
  } else if (!isRunning(one)) {
    put({ skillKey, name, installId, isOwn: false, output: tail(text) });
  }
});

on("skills.install.ended", (ended) => {
  const one = installations.peek().get(ended.skillKey);
  if (one?.installId !== ended.installId || !goesOn(one)) return;
  // Of one that was asked for here, the answer says more.
  if (!one.isOwn || one.error) put({ ...one, error: undefined, ended });
});

/** Whether it runs, as far as is known: also one whose answer was lost with the connection. */
const goesOn = (one: Installation): boolean => isRunning(one) || (one.error?.isLost ?? false);

function change(skillKey: string, make: (one: Installation) => Installation): void {
  const one = installations.peek().get(skillKey);
  if (one) put(make(one));
}

function put(one: Installation): void {
  installations.value = new Map(installations.peek()).set(one.skillKey, one);
}
