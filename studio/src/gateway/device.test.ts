import { describe, expect, it } from "vitest";
import type { ConnectParams } from "../generated/protocol";
import { base64url, deviceId, signChallenge, signedText } from "./device";

const params = (auth: ConnectParams["auth"]): ConnectParams => ({
  minProtocol: 4,
  maxProtocol: 4,
  client: { id: "openclaw-control-ui", version: "0", platform: " Web ", deviceFamily: "Browser", mode: "webchat" },
  role: "operator",
  scopes: ["operator.read", "operator.write"],
  ...(auth && { auth }),
});

describe("the payload that a device signs", () => {
  it("has the client, the scopes, the token and the challenge", () => {
    expect(signedText("id", params({ token: "shared", deviceToken: "own" }), 1700, "nonce")).toBe(
      "v3|id|openclaw-control-ui|webchat|operator|operator.read,operator.write|1700|shared|nonce|web|browser",
    );
  });

  it("has the device token when there is no other", () => {
    expect(signedText("id", params({ deviceToken: "own" }), 1, "n")).toContain("|1|own|n|");
    expect(signedText("id", params(undefined), 1, "n")).toContain("|1||n|");
  });
});

it("a device is the hash of its key", async () => {
  expect(await deviceId(new Uint8Array(32))).toBe("66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925");
});

it("base64 is safe for addresses and has no padding", () => {
  expect(base64url(new Uint8Array([251, 255, 254, 1]))).toBe("-__-AQ");
});

it("the signature verifies with its key, at the gateway's time", async () => {
  const pair = (await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"])) as CryptoKeyPair;
  const sign = async (text: string) =>
    base64url(new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, new TextEncoder().encode(text))));
  const device = { id: "id", publicKey: "key", sign };
  const proof = await signChallenge(device, params({ token: "t" }), { nonce: "n", ts: 42 });
  expect(proof).toMatchObject({ id: "id", publicKey: "key", signedAt: 42, nonce: "n" });
  const signature = Uint8Array.from(atob(proof.signature.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const text = new TextEncoder().encode(signedText("id", params({ token: "t" }), 42, "n"));
  expect(await crypto.subtle.verify("Ed25519", pair.publicKey, signature, text)).toBe(true);
});
