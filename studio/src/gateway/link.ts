// The connection to the gateway as one signal, kept alive while the page is open.
// Reconnects by itself; whatever needs a person is a state of its own.
import { batch, signal } from "@preact/signals";
import type { ConnectParams, HelloOk } from "../generated/protocol";
import { pauseMs } from "./backoff";
import * as credentials from "./credentials";
import { type Device, NoDeviceKey, loadDevice } from "./device";
import { emit } from "./events";
import { CallError } from "./failure";
import { type Refusal, isTooMany, refusalOf } from "./refusal";
import { ANSWER_LATE, Connection, type ConnectionEnd } from "./socket";
import { claimTab } from "./tabs";

export type Link =
  | { state: "connecting"; tries: number }
  | { state: "ready"; hello: HelloOk }
  | { state: "waiting"; until: number; why: DisconnectReason; tries: number }
  | { state: "refused"; refusal: Refusal }
  | { state: "another-tab" };

/** Why there is no connection. */
export type DisconnectReason = "down" | "restarting" | "silent" | "too-slow" | "too-many";

const SCOPES = ["operator.read", "operator.write", "operator.admin", "operator.approvals", "operator.pairing"];
/** The protocol versions of this page. */
const PROTOCOL = { minProtocol: 4, maxProtocol: 4 };
const TOO_MANY_MS = 60_000;

export const link = signal<Link>({ state: "connecting", tries: 0 });

/** Increases when known data may be out of date: on a new connection, or when events were missed. */
export const epoch = signal(0);

/** The last hello of the gateway; it stays while the connection is lost. */
export const hello = signal<HelloOk | undefined>(undefined);

const instanceId = globalThis.crypto?.randomUUID?.() ?? "page";

let connection: Connection | undefined;
let device: Device | undefined;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let tries = 0;
let liveTab: ReturnType<typeof claimTab> | undefined;

/** The connection, if it is ready for calls. */
export const currentConnection = (): Connection | undefined => (link.peek().state === "ready" ? connection : undefined);

/** Called once by the page. */
export function start(): void {
  credentials.takeTokenFromAddress();
  liveTab = claimTab(standBy);
  window.addEventListener("hashchange", () => {
    if (credentials.takeTokenFromAddress()) reconnect();
  });
  window.addEventListener("online", retryNow);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) retryNow();
  });
  takeOver();
}

/** Makes this tab the live one. */
export function takeOver(): void {
  liveTab?.takeOver();
  reconnect();
}

/** Stops waiting and connects now. */
export function retryNow(): void {
  if (link.peek().state === "waiting") reconnect();
}

/** Connects with another token. */
export function useToken(token: string): void {
  credentials.setToken(token);
  reconnect();
}

/** Connects from the beginning. */
export function reconnect(): void {
  tries = 0;
  disconnect();
  void connect();
}

function standBy(): void {
  link.value = { state: "another-tab" };
  disconnect();
}

function disconnect(): void {
  clearTimeout(retryTimer);
  const old = connection;
  connection = undefined;
  old?.close();
}

async function connect(): Promise<void> {
  link.value = { state: "connecting", tries };
  try {
    device ??= await loadDevice();
  } catch (error) {
    if (!(error instanceof NoDeviceKey)) throw error;
    link.value = { state: "refused", refusal: { kind: "device", message: error.message } };
    return;
  }
  // Meanwhile another tab may have taken over, or another attempt started.
  if (link.peek().state !== "connecting" || connection) return;
  const own: Connection = new Connection(new WebSocket(socketUrl()), device, connectParams, handleHello, {
    event: emit,
    gap: () => (epoch.value += 1),
    ended: (how) => {
      if (connection === own) handleEnd(how);
    },
  });
  connection = own;
}

function handleHello(answer: HelloOk): void {
  tries = 0;
  credentials.storeDeviceToken(answer.auth);
  // One update for observers of several signals.
  batch(() => {
    hello.value = answer;
    link.value = { state: "ready", hello: answer };
    epoch.value += 1;
  });
}

function handleEnd({ code, refusal }: ConnectionEnd): void {
  connection = undefined;
  if (refusal && isTooMany(refusal)) return retryAfter(TOO_MANY_MS, "too-many");
  if (refusal && !refusal.retryable) return showRefusal(refusal);
  const pause = pauseMs(tries, Math.random());
  tries += 1;
  retryAfter(pause, code === 1012 ? "restarting" : code === 1013 ? "too-slow" : code === ANSWER_LATE ? "silent" : "down");
}

function showRefusal(error: CallError): void {
  const refusal = refusalOf(error);
  if (refusal.kind === "token") credentials.forgetCredentials();
  link.value = { state: "refused", refusal };
}

function retryAfter(pause: number, why: DisconnectReason): void {
  link.value = { state: "waiting", until: Date.now() + pause, why, tries };
  clearTimeout(retryTimer);
  retryTimer = setTimeout(() => void connect(), pause);
}

function socketUrl(): string {
  return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws`;
}

function connectParams(): ConnectParams {
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
