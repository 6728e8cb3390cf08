// Attachments: pictures and text files, read in the browser and limited before anything is sent.
// A refused file is named at once. The gateway decides by content what a file really is.
import type { AttachmentPolicy, ChatAttachment } from "../../generated/protocol";

export type Attachment = { name: string; mimeType: string; size: number; content: string };

export type RefusedFile = { name: string; why: "too-large" | "too-much" | "unreadable" };

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Reads files for a message that has `already` some. */
export async function readAttachments(files: readonly File[], already: readonly Attachment[], policy: AttachmentPolicy): Promise<{ attached: Attachment[]; refused: RefusedFile[] }> {
  const attached: Attachment[] = [];
  const refused: RefusedFile[] = [];
  let left = policy.maxBytes - already.reduce((sum, one) => sum + one.size, 0);
  for (const file of files) {
    const one = await read(file, left, policy);
    if ("why" in one) refused.push(one);
    else {
      attached.push(one);
      left -= one.size;
    }
  }
  return { attached, refused };
}

async function read(file: File, left: number, policy: AttachmentPolicy): Promise<Attachment | RefusedFile> {
  const { name, size } = file;
  const isPicture = PICTURES.includes(file.type);
  if (isPicture && size > policy.maxImageBytes) return { name, why: "too-large" };
  if (size > left) return { name, why: "too-much" };
  const bytes = await file.arrayBuffer().then((buffer) => new Uint8Array(buffer), () => undefined);
  if (!bytes || bytes.length === 0 || (!isPicture && !isText(bytes))) return { name, why: "unreadable" };
  return { name, size, mimeType: isPicture ? file.type : "text/plain", content: base64(bytes) };
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const CHUNK = 0x8000;

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

/** The wire form. */
export const toChatAttachment = (one: Attachment): ChatAttachment => ({
  type: one.mimeType.startsWith("image/") ? "image" : "file",
  mimeType: one.mimeType,
  fileName: one.name,
  content: one.content,
});
