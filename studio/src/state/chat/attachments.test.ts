// Which files can be attached, and which are refused before they are sent.
import { describe, expect, it } from "vitest";
import { readAttachments, toChatAttachment } from "./attachments";

const policy = { maxBytes: 20, maxImageBytes: 10 };
const file = (name: string, bytes: number[] | string, type = "") => new File([typeof bytes === "string" ? bytes : new Uint8Array(bytes)], name, { type });

describe("attaching", () => {
  it("takes pictures and text, as the gateway wants them", async () => {
    const { attached, refused } = await readAttachments([file("a.png", [1, 2, 0], "image/png"), file("b.rs", "你好")], [], policy);
    expect(refused).toEqual([]);
    expect(attached.map(toChatAttachment)).toEqual([
      { type: "image", mimeType: "image/png", fileName: "a.png", content: "AQIA" },
      { type: "file", mimeType: "text/plain", fileName: "b.rs", content: "5L2g5aW9" },
    ]);
  });

  it("refuses by name what cannot be read or is too large", async () => {
    const table: [File, string][] = [
      [file("big.png", Array(11).fill(1), "image/png"), "too-large"],
      [file("big.txt", "x".repeat(21)), "too-much"],
      [file("empty.txt", ""), "unreadable"],
      [file("zero.bin", [65, 0, 66]), "unreadable"],
      [file("latin.txt", [0xe4, 0x20]), "unreadable"],
    ];
    for (const [one, why] of table) expect((await readAttachments([one], [], policy)).refused).toEqual([{ name: one.name, why }]);
  });

  it("what is attached already counts", async () => {
    const { attached } = await readAttachments([file("a.txt", "x".repeat(15))], [], policy);
    expect((await readAttachments([file("b.txt", "x".repeat(6))], attached, policy)).refused).toEqual([{ name: "b.txt", why: "too-much" }]);
  });
});
