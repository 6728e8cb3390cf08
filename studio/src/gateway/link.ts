// The link to the gateway: one signal that says how it is, kept alive for as long as the page is open.
// Promises: it connects again by itself, and says when; what a person has to do is a state of its own.
// Leaves to others: what is asked over it (calls.ts), what is shown (views/connect).
import { batch, signal } from "@preact/signals";
import type { ConnectParams, HelloOk } from "../generated/protocol";
import { pauseMs } from "./backoff";
import * as credentials from "./credentials";
import { type Device, NoDeviceKey, thisDevice } from "./device";
import { tell } from "./events";
import { CallError } from "./failure";
import { type Refusal, isTooMany, refusalOf } from "./refusal";
import { ANSWER_LATE, Connection, type Ended } from "./socket";
import { tab } from "./tabs";

export type Link =
  | { state: "connecting"; tries: number }
  | { state: "ready"; hello: HelloOk }
  | { state: "waiting"; until: number; why: Why; tries: number }
  | { state: "refused"; refusal: Refusal }
  | { state: "another-tab" };

/** Why there is no connection at the moment. */
export type Why = "down" | "restarting" | "silent" | "too-slow" | "too-many";

const SCOPES = ["operator.read", "operator.write", "operator.admin", "operator.approvals", "operator.pairing"];
/** The versions of the protocol that this page speaks. */
const PROTOCOL = { minProtocol: 4, maxProtocol: 4 };
const TOO_MANY_MS = 60_000;

export const link = signal<Link>({ state: "connecting", tries: 0 });

/** Counts the times when what is known may be out of date: a new connection, or events that were missed. */
export const epoch = signal(0);

/** What the gateway said last when it let us in; it stays while the connection is lost. */
export const hello = signal<HelloOk | undefined>(undefined);

const instanceId = globalThis.crypto?.randomUUID?.() ?? "page";

let connection: Connection | undefined;
let device: Device | undefined;
let next: ReturnType<typeof setTimeout> | undefined;
let tries = 0;
let live: ReturnType<typeof tab> | undefined;

/** The connection, if there is one that can be asked. */
export const current = (): Connection | undefined => (link.peek().state === "ready" ? connection : undefined);

/** Begins; called once by the page. */
export function start(): void {
  credentials.takeTokenFromAddress();
  live = tab(standBy);
  window.addEventListener("hashchange", () => {
    if (credentials.takeTokenFromAddress()) again();
  });
  window.addEventListener("online", tryNow);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) tryNow();
  });
  useHere();
}

/** Makes this tab the live one. */
export function useHere(): void {
  live?.takeOver();
  again();
}

/** Does not wait any longer. */
export function tryNow(): void {
  if (link.peek().state === "waiting") again();
}

/** Tries with another token. */
export function useToken(token: string): void {
  credentials.bringToken(token);
  again();
}

/** Tries from the beginning. */
export function again(): void {
  tries = 0;
  leave();
  void connect();
}

function standBy(): void {
  link.value = { state: "another-tab" };
  leave();
}

function leave(): void {
  clearTimeout(next);
  const old = connection;
  connection = undefined;
  old?.close();
}

async function connect(): Promise<void> {
  link.value = { state: "connecting", tries };
  try {
    device ??= await thisDevice();
  } catch (error) {
    if (!(error instanceof NoDeviceKey)) throw error;
    link.value = { state: "refused", refusal: { kind: "device", message: error.message } };
    return;
  }
  // Meanwhile another tab may have taken over, or another try begun.
  if (link.peek().state !== "connecting" || connection) return;
  const own: Connection = new Connection(new WebSocket(address()), device, params, welcomed, {
    event: tell,
    gap: () => (epoch.value += 1),
    ended: (how) => {
      if (connection === own) lost(how);
    },
  });
  connection = own;
}

function welcomed(answer: HelloOk): void {
  tries = 0;
  credentials.keep(answer.auth);
  // One change for whoever looks at more than one of them.
  batch(() => {
    hello.value = answer;
    link.value = { state: "ready", hello: answer };
    epoch.value += 1;
  });
}

function lost({ code, refusal }: Ended): void {
  connection = undefined;
  if (refusal && isTooMany(refusal)) return waitFor(TOO_MANY_MS, "too-many");
  if (refusal && !refusal.retryable) return refused(refusal);
  const pause = pauseMs(tries, Math.random());
  tries += 1;
  waitFor(pause, code === 1012 ? "restarting" : code === 1013 ? "too-slow" : code === ANSWER_LATE ? "silent" : "down");
}

function refused(error: CallError): void {
  const refusal = refusalOf(error);
  if (refusal.kind === "token") credentials.forget();
  link.value = { state: "refused", refusal };
}

function waitFor(pause: number, why: Why): void {
  link.value = { state: "waiting", until: Date.now() + pause, why, tries };
  clearTimeout(next);
  next = setTimeout(() => void connect(), pause);
}

function address(): string {
  return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws`;
}

function params(): ConnectParams {
  return {
    ...PROTOCOL,
    client: {
      id: "openclaw-control-ui",
      displayName: "Tarsus Studio",
      version: __STUDIO_VERSION__,
      platform: "web",
      mode: "webchat",
      instanceId,
    },
    role: "operator",
    scopes: SCOPES,
    caps: ["tool-events"],
    locale: navigator.language,
    userAgent: navigator.userAgent.slice(0, 256),
    auth: credentials.auth(),
  };
}
