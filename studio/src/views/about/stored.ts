// What this page keeps in this browser, and how it forgets the device.
import { call } from "../../gateway/calls";
import { forget } from "../../gateway/credentials";
import { forgetDevice, hasDeviceKey } from "../../gateway/device";
import { asCallError } from "../../gateway/failure";

export type Stored = { deviceKey: boolean; deviceToken: boolean; preferences: boolean; tabMemory: boolean };

const PREFIX = "tarsus.";
const TOKEN = "tarsus.deviceToken";

/** What is there now. A browser may forbid to look: then nothing is kept. */
export async function storedHere(): Promise<Stored> {
  const ours = namesIn(() => localStorage);
  return {
    deviceKey: await hasDeviceKey().catch(() => false),
    deviceToken: ours.includes(TOKEN),
    preferences: ours.some((name) => name !== TOKEN),
    tabMemory: namesIn(() => sessionStorage).length > 0,
  };
}

/**
 * Has the gateway take the token back, deletes key and token, then begins anew as a browser that nobody knows. Nothing is
 * deleted here while the token still opens the gateway: it could not be taken back from here any more.
 */
export async function forgetThisDevice(): Promise<void> {
  await takeTokenBack();
  await forgetDevice();
  forget();
  location.assign("/");
}

async function takeTokenBack(): Promise<void> {
  try {
    await call("device.token.revoke", {});
  } catch (thrown) {
    // Without one there is nothing to take back.
    if (asCallError(thrown).reason !== "not-found") throw thrown;
  }
}

function namesIn(storage: () => Storage): string[] {
  try {
    return Object.keys(storage()).filter((name) => name.startsWith(PREFIX));
  } catch {
    return [];
  }
}
