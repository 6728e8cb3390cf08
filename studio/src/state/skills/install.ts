// Installing a skill's requirements: started here, streamed, and stoppable.
// Only where the gateway supports it. The output is limited to its newest part, also after a stop. An installation
// started elsewhere, or cut off by a lost connection, reappears with its next output.
import { signal } from "@preact/signals";
import type { SkillInstallResult, SkillsInstallEnded } from "../../generated/protocol";
import { on } from "../../gateway/events";
import { call, supportsMethod } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";

/** Longer than the gateway's own limit. */
const PATIENCE_MS = 16 * 60_000;
const MOST_CHARS = 200_000;

export const canInstall = (): boolean => supportsMethod("skills.install");

export type Installation = {
  skillKey: string;
  name: string;
  installId: string;
  /** Unknown if it was started elsewhere. */
  startedAt?: number;
  /** The answer comes to this page. */
  isOwn: boolean;
  output: string;
  isStopping?: boolean;
  /** Why the stop failed. */
  notStopped?: CallError | undefined;
  result?: SkillInstallResult | undefined;
  error?: CallError | undefined;
  /** How an installation ended whose answer does not come here. */
  ended?: SkillsInstallEnded | undefined;
};

/** The last installation of each skill, by its key; it continues while its dialog is closed. */
export const installations = signal<ReadonlyMap<string, Installation>>(new Map());

export const isRunning = (one: Installation | undefined): boolean => one !== undefined && !one.result && !one.error && !one.ended;

export async function install(skillKey: string, name: string, installId: string): Promise<void> {
  if (isRunning(installations.peek().get(skillKey))) return;
  store({ skillKey, name, installId, startedAt: Date.now(), isOwn: true, output: "" });
  try {
    const result = await call("skills.install", { name, installId }, { timeoutMs: PATIENCE_MS });
    // The answer includes output that was missed.
    update(skillKey, (one) => ({ ...one, result, output: one.output || tail(result.stdout + result.stderr) }));
  } catch (thrown) {
    update(skillKey, (one) => ({ ...one, error: asCallError(thrown) }));
  }
}

/** Requests a stop; the end arrives like any other. */
export async function stop({ skillKey, name, installId }: Installation): Promise<void> {
  update(skillKey, (one) => ({ ...one, isStopping: true, notStopped: undefined }));
  try {
    await call("skills.install.stop", { name, installId });
  } catch (thrown) {
    const error = asCallError(thrown);
    // If it has ended by itself meanwhile, that arrives too.
    const notStopped = error.reason === "not-found" ? undefined : error;
    update(skillKey, (one) => ({ ...one, isStopping: false, notStopped }));
  }
}

export const tail = (text: string): string => (text.length > MOST_CHARS ? text.slice(-MOST_CHARS) : text);

on("skills.install.output", ({ skillKey, name, installId, text }) => {
  const one = installations.peek().get(skillKey);
  if (one?.installId === installId && mayBeRunning(one)) {
    store({ ...one, isOwn: one.isOwn && !one.error, error: undefined, output: tail(one.output + text) });
  } else if (!isRunning(one)) {
    store({ skillKey, name, installId, isOwn: false, output: tail(text) });
  }
});

on("skills.install.ended", (ended) => {
  const one = installations.peek().get(ended.skillKey);
  if (one?.installId !== ended.installId || !mayBeRunning(one)) return;
  // For one started here, the answer has more.
  if (!one.isOwn || one.error) store({ ...one, error: undefined, ended });
});

/** Running, as far as known; also if its answer was lost with the connection. */
const mayBeRunning = (one: Installation): boolean => isRunning(one) || (one.error?.isLost ?? false);

function update(skillKey: string, make: (one: Installation) => Installation): void {
  const one = installations.peek().get(skillKey);
  if (one) store(make(one));
}

function store(one: Installation): void {
  installations.value = new Map(installations.peek()).set(one.skillKey, one);
}
