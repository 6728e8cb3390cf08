// What a tab stores of a conversation, and that invalid stored data is dropped.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { saveDraft, saveOutbox, loadDraft, loadOutbox } from "./storage";
import type { OutgoingMessage } from "./transcript";

const message = (key: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({ key, text: `text of ${key}`, at: 1, state: "sent", ...more });
const files = [{ name: "a.txt", mimeType: "text/plain", size: 1, content: "YQ==" }];

/** A storage with a limit of characters. */
function storage(most = Infinity): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const held = new Map<string, string>();
  return {
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => {
      if (value.length > most) throw new Error("full");
      held.set(key, value);
    },
    removeItem: (key) => void held.delete(key),
  };
}

beforeEach(() => vi.stubGlobal("sessionStorage", storage()));
afterEach(() => vi.unstubAllGlobals());

describe("kept for a reload", () => {
  it("a draft is one session's own, and gone once it is empty", () => {
    saveDraft("a", "half a sent");
    expect([loadDraft("a"), loadDraft("b")]).toEqual(["half a sent", ""]);
    saveDraft("a", "");
    expect(loadDraft("a")).toBe("");
  });

  it("a message on its way comes back under its key, to be sent again", () => {
    saveOutbox("a", [message("k", { files, state: "refused", reason: "why" })]);
    expect(loadOutbox("a")).toEqual([{ key: "k", text: "text of k", at: 1, state: "sending", files }]);
  });

  it("files too large to store affect no other message, and no message is restored without its files", () => {
    vi.stubGlobal("sessionStorage", storage(150));
    saveOutbox("a", [message("k"), message("big", { files: [{ ...files[0]!, content: "x".repeat(500) }] })]);
    expect(loadOutbox("a").map(({ key }) => key)).toEqual(["k"]);
  });

  it("invalid stored values are left alone", () => {
    for (const stored of ["{", "null", "{}", '[1,null,{"key":1}]', '[{"key":"k","text":"t"}]', '[{"key":"k","text":"t","at":1,"files":[{}]}]']) {
      sessionStorage.setItem("tarsus.chat.outbox.a", stored);
      expect(loadOutbox("a"), stored).toEqual([]);
    }
  });

  it("works without browser storage", () => {
    vi.stubGlobal("sessionStorage", undefined);
    saveDraft("a", "x");
    expect([loadDraft("a"), loadOutbox("a")]).toEqual(["", []]);
  });
});
