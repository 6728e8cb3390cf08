// What this page stores in this browser, and forgetting the device.
import { call } from "../../gateway/calls";
import { forgetCredentials } from "../../gateway/credentials";
import { forgetDevice, hasDeviceKey } from "../../gateway/device";
import { asCallError } from "../../gateway/failure";

export type StoredData = { deviceKey: boolean; deviceToken: boolean; preferences: boolean; tabMemory: boolean };

const PREFIX = "tarsus.";
const TOKEN = "tarsus.deviceToken";

/** The stored data now. A browser may forbid access: then nothing is stored. */
export async function readStoredData(): Promise<StoredData> {
  const ours = namesIn(() => localStorage);
  return {
    deviceKey: await hasDeviceKey().catch(() => false),
    deviceToken: ours.includes(TOKEN),
    preferences: ours.some((name) => name !== TOKEN),
    tabMemory: namesIn(() => sessionStorage).length > 0,
  };
}

/**
 * Revokes the token, deletes key and token, then starts as an unknown browser. Nothing is deleted before the token is
 * revoked: without the token, this page could not revoke it any more.
 */
export async function forgetThisDevice(): Promise<void> {
  await revokeToken();
  await forgetDevice();
  forgetCredentials();
  location.assign("/");
}

async function revokeToken(): Promise<void> {
  try {
    await call("device.token.revoke", {});
  } catch (thrown) {
    // Without a token there is nothing to revoke.
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
