// What authenticates this page: a token entered once, then a token of this device.
// The shared token is never stored, and is removed from the address bar at once.
import type { ConnectAuth, HelloAuth } from "../generated/protocol";

const DEVICE_TOKEN = "tarsus.deviceToken";
const IN_ADDRESS = /^#token=(.+)$/;

let sharedToken: string | undefined;

/** Takes the token out of the address. True if there was one. */
export function takeTokenFromAddress(): boolean {
  const found = IN_ADDRESS.exec(location.hash)?.[1];
  if (!found) return false;
  history.replaceState(history.state, "", location.pathname + location.search);
  setToken(decodeOrKeep(found));
  return true;
}

/** A token or password that a person entered. */
export function setToken(token: string): void {
  sharedToken = token.trim() || undefined;
}

/** The device token is sent along in case the other one is out of date. */
export function auth(): ConnectAuth {
  const deviceToken = localStorage.getItem(DEVICE_TOKEN);
  return { ...(sharedToken && { token: sharedToken }), ...(deviceToken && { deviceToken }) };
}

/** Stores the device token; from then on the shared token is not needed. */
export function storeDeviceToken(helloAuth: HelloAuth): void {
  if (!helloAuth.deviceToken) return;
  localStorage.setItem(DEVICE_TOKEN, helloAuth.deviceToken);
  sharedToken = undefined;
}

/** Forgets rejected credentials. True if there were any. */
export function forgetCredentials(): boolean {
  const had = sharedToken !== undefined || localStorage.getItem(DEVICE_TOKEN) !== null;
  sharedToken = undefined;
  localStorage.removeItem(DEVICE_TOKEN);
  return had;
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
