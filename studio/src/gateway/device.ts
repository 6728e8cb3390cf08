// This browser as a device: an Ed25519 key that cannot leave it, and its signature over who asks for what.
// Promises: the private key is never readable, not even by this page. Leaves to others: when to connect.
import type { ConnectDevice, ConnectParams } from "../generated/protocol";

export type Device = { id: string; publicKey: string; sign(text: string): Promise<string> };

const ALGORITHM = "Ed25519";
const DATABASE = "tarsus-studio";
const STORE = "device";
const KEY = "key";

/** The browser has no way to keep or use such a key. */
export class NoDeviceKey extends Error {
  override readonly name = "NoDeviceKey";
}

/** The device of this browser; its key is made when there is none. */
export async function thisDevice(): Promise<Device> {
  // Only pages of this machine or of HTTPS have it.
  if (!globalThis.crypto?.subtle) throw new NoDeviceKey("This page has no access to cryptographic keys.");
  const pair = await keptPair();
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

/** The proof that goes with `connect`. */
export async function prove(
  device: Device,
  params: ConnectParams,
  challenge: { nonce: string; ts: number },
): Promise<ConnectDevice> {
  // The gateway's own time, so that a wrong clock here does not matter.
  const signedAt = challenge.ts;
  const signature = await device.sign(signedText(device.id, params, signedAt, challenge.nonce));
  return { id: device.id, publicKey: device.publicKey, signature, signedAt, nonce: challenge.nonce };
}

/** The third version of the text that a device signs. */
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

/** Whether this browser keeps a key. */
export async function hasDeviceKey(): Promise<boolean> {
  const store = (await opened()).transaction(STORE).objectStore(STORE);
  return (await asked(store.count(KEY))) > 0;
}

/** Deletes the key; the next page makes another one, which is another device. Settled when it is gone for good. */
export async function forgetDevice(): Promise<void> {
  const change = (await opened()).transaction(STORE, "readwrite");
  change.objectStore(STORE).delete(KEY);
  await new Promise<void>((resolve, reject) => {
    change.oncomplete = () => resolve();
    change.onabort = () => reject(new NoDeviceKey(`The key was not deleted: ${change.error?.message ?? ""}`));
  });
}

async function keptPair(): Promise<CryptoKeyPair> {
  const database = await opened();
  const kept = await asked<CryptoKeyPair | undefined>(database.transaction(STORE).objectStore(STORE).get(KEY));
  if (kept) return kept;
  const made = await newPair();
  // Another tab may have made one meanwhile: the first one that is kept counts.
  const store = database.transaction(STORE, "readwrite").objectStore(STORE);
  const first = await asked<CryptoKeyPair | undefined>(store.get(KEY));
  if (first) return first;
  await asked(store.put(made, KEY));
  return made;
}

async function newPair(): Promise<CryptoKeyPair> {
  try {
    return (await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"])) as CryptoKeyPair;
  } catch {
    throw new NoDeviceKey("This browser does not know Ed25519 keys.");
  }
}

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return asked(request);
}

function asked<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new NoDeviceKey(`This browser keeps no keys: ${request.error?.message ?? ""}`));
  });
}
