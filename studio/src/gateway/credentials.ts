// What opens the gateway for this page: a token that a person brings once, then a token of this device alone.
// Promises: the shared token is never stored, and leaves the address bar at once.
import type { ConnectAuth, HelloAuth } from "../generated/protocol";

const DEVICE_TOKEN = "tarsus.deviceToken";
const IN_ADDRESS = /^#token=(.+)$/;

let brought: string | undefined;

/** Takes the token out of the address. True when there was one. */
export function takeTokenFromAddress(): boolean {
  const found = IN_ADDRESS.exec(location.hash)?.[1];
  if (!found) return false;
  history.replaceState(history.state, "", location.pathname + location.search);
  bringToken(decoded(found));
  return true;
}

/** A token, or a password, that a person typed. */
export function bringToken(token: string): void {
  brought = token.trim() || undefined;
}

/** What to show the gateway; the token of the device goes along in case the other one is out of date. */
export function auth(): ConnectAuth {
  const deviceToken = localStorage.getItem(DEVICE_TOKEN);
  return { ...(brought && { token: brought }), ...(deviceToken && { deviceToken }) };
}

/** Keeps what the gateway gives for the next time; from then on the shared token is not needed. */
export function keep(given: HelloAuth): void {
  if (!given.deviceToken) return;
  localStorage.setItem(DEVICE_TOKEN, given.deviceToken);
  brought = undefined;
}

/** Forgets what does not open the gateway any more. True when there was something. */
export function forget(): boolean {
  const had = brought !== undefined || localStorage.getItem(DEVICE_TOKEN) !== null;
  brought = undefined;
  localStorage.removeItem(DEVICE_TOKEN);
  return had;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
