// What this page keeps in this browser, and how it forgets the device.
import { forget } from "../../gateway/credentials";
import { forgetDevice, hasDeviceKey } from "../../gateway/device";

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

/** Deletes key and token, then begins anew as a browser that nobody knows. */
export async function forgetThisDevice(): Promise<void> {
  await forgetDevice();
  forget();
  location.assign("/");
}

function namesIn(storage: () => Storage): string[] {
  try {
    return Object.keys(storage()).filter((name) => name.startsWith(PREFIX));
  } catch {
    return [];
  }
}
