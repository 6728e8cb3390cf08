// Installing what a skill needs: asked for once, told of line by line.
// Promises: only where the gateway says that it can; the output is bounded, its newest part stays.
// Leaves to others: what is shown (views/setup/configure/Install.tsx).
import { signal } from "@preact/signals";
import type { SkillSetUp } from "../../generated/protocol";
import { on } from "../../gateway/events";
import { call, knows } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";

/** Longer than the gateway lets a program run. */
const PATIENCE_MS = 16 * 60_000;
const MOST_CHARS = 200_000;

export const canInstall = (): boolean => knows("skills.install");

export type Installation = {
  skillKey: string;
  installId: string;
  startedAt: number;
  output: string;
  result?: SkillSetUp | undefined;
  error?: CallError | undefined;
};

/** The last installation of each skill, by its key; it goes on while its dialog is closed. */
export const installations = signal<ReadonlyMap<string, Installation>>(new Map());

export const isRunning = (one: Installation | undefined): boolean => one !== undefined && !one.result && !one.error;

export async function install(skillKey: string, name: string, installId: string): Promise<void> {
  if (isRunning(installations.peek().get(skillKey))) return;
  put({ skillKey, installId, startedAt: Date.now(), output: "" });
  const end = on("skills.install.output", (told) => {
    if (told.skillKey === skillKey && told.installId === installId) change(skillKey, (one) => ({ ...one, output: tail(one.output + told.text) }));
  });
  try {
    const result = await call("skills.install", { name, installId }, { timeoutMs: PATIENCE_MS });
    // What was missed on the way is in the answer.
    change(skillKey, (one) => ({ ...one, result, output: one.output || tail(result.stdout + result.stderr) }));
  } catch (thrown) {
    change(skillKey, (one) => ({ ...one, error: asCallError(thrown) }));
  } finally {
    end();
  }
}

export const tail = (text: string): string => (text.length > MOST_CHARS ? text.slice(-MOST_CHARS) : text);

function change(skillKey: string, make: (one: Installation) => Installation): void {
  const one = installations.peek().get(skillKey);
  if (one) put(make(one));
}

function put(one: Installation): void {
  installations.value = new Map(installations.peek()).set(one.skillKey, one);
}
