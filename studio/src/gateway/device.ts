// This browser as a device: an Ed25519 key that cannot leave it, and signatures of connect requests.
// The private key is never readable, not even by this page.
import type { ConnectDevice, ConnectParams } from "../generated/protocol";

export type Device = { id: string; publicKey: string; sign(text: string): Promise<string> };

const ALGORITHM = "Ed25519";
const DATABASE = "tarsus-studio";
const STORE = "device";
const KEY = "key";

/** The browser cannot store or use such a key. */
export class NoDeviceKey extends Error {
  override readonly name = "NoDeviceKey";
}

/** The device of this browser; creates the key if there is none. */
export async function loadDevice(): Promise<Device> {
  // Only secure contexts (localhost or HTTPS) have it.
  if (!globalThis.crypto?.subtle) throw new NoDeviceKey("This page has no access to cryptographic keys.");
  const pair = await loadOrCreatePair();
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return {
    id: await deviceId(raw),
    publicKey: base64url(raw),
    sign: async (text) => {
      const signature = await crypto.subtle.sign(ALGORITHM, pair.privateKey, new TextEncoder().encode(text));
      return base64url(new Uint8Array(signature));
    },
  };
}

/** SHA-256 of the raw public key, in hexadecimal. */
export async function deviceId(publicKey: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", publicKey));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The signed device proof of `connect`. */
export async function signChallenge(
  device: Device,
  params: ConnectParams,
  challenge: { nonce: string; ts: number },
): Promise<ConnectDevice> {
  // The gateway's own time: the local clock may be wrong.
  const signedAt = challenge.ts;
  const signature = await device.sign(signedText(device.id, params, signedAt, challenge.nonce));
  return { id: device.id, publicKey: device.publicKey, signature, signedAt, nonce: challenge.nonce };
}

/** The text that a device signs, version 3. */
export function signedText(id: string, params: ConnectParams, signedAt: number, nonce: string): string {
  const { client, auth } = params;
  const lower = (text = "") => text.trim().toLowerCase();
  return [
    "v3",
    id,
    client.id,
    client.mode,
    params.role ?? "operator",
    (params.scopes ?? []).join(","),
    String(signedAt),
    auth?.token ?? auth?.deviceToken ?? "",
    nonce,
    lower(client.platform),
    lower(client.deviceFamily),
  ].join("|");
}

export function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function hasDeviceKey(): Promise<boolean> {
  const store = (await openDatabase()).transaction(STORE).objectStore(STORE);
  return (await requestResult(store.count(KEY))) > 0;
}

/** Deletes the key; the next page creates a new one, and so a new device. Resolves when it is gone. */
export async function forgetDevice(): Promise<void> {
  const change = (await openDatabase()).transaction(STORE, "readwrite");
  change.objectStore(STORE).delete(KEY);
  await new Promise<void>((resolve, reject) => {
    change.oncomplete = () => resolve();
    change.onabort = () => reject(new NoDeviceKey(`The key was not deleted: ${change.error?.message ?? ""}`));
  });
}

async function loadOrCreatePair(): Promise<CryptoKeyPair> {
  const database = await openDatabase();
  const kept = await requestResult<CryptoKeyPair | undefined>(database.transaction(STORE).objectStore(STORE).get(KEY));
  if (kept) return kept;
  const pair = await generatePair();
  // Another tab may have created one meanwhile: the first stored one wins.
  const store = database.transaction(STORE, "readwrite").objectStore(STORE);
  const first = await requestResult<CryptoKeyPair | undefined>(store.get(KEY));
  if (first) return first;
  await requestResult(store.put(pair, KEY));
  return pair;
}

async function generatePair(): Promise<CryptoKeyPair> {
  try {
    return (await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"])) as CryptoKeyPair;
  } catch {
    throw new NoDeviceKey("This browser does not know Ed25519 keys.");
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return requestResult(request);
}

function requestResult<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new NoDeviceKey(`This browser keeps no keys: ${request.error?.message ?? ""}`));
  });
}
