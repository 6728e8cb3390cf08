import { describe, expect, it } from "vitest";
import type { AgentFileAnswer } from "../../generated/protocol";
import { CallError } from "../../gateway/failure";
import { draftOf, discardDraft, setDraft } from "./drafts";
import { fileOf } from "./files";
import { type FileStore, save, versionOf } from "./save";
import { fromField, inField, sizeOf } from "./text";

const hashOf = (content: string | null) => `hash of ${content ?? ""}`;
const version = (text: string | null) => ({ text, hash: hashOf(text) });

/** Files in memory, written like the gateway writes them. */
function disk(content: string | null): FileStore & { content: string | null; onStale: () => void } {
  const answer = (): AgentFileAnswer => ({
    agentId: "main",
    workspace: "/w",
    hash: hashOf(at.content),
    file: { name: "SOUL.md", path: "/w/SOUL.md", missing: at.content === null, ...(at.content !== null && { content: at.content }) },
  });
  const at = {
    content,
    /** Called between a refused write and the read that follows. */
    onStale: () => {},
    read: async () => answer(),
    write: async (_: string, __: string, text: string, baseHash: string) => {
      if (baseHash !== hashOf(at.content)) {
        at.onStale();
        throw new CallError("INVALID_REQUEST", "SOUL.md changed since last load", { code: "stale" }, true);
      }
      at.content = text;
      return answer();
    },
  };
  return at;
}

const saving = (seen: string | null, text: string) => ({ agentId: "main", name: "SOUL.md" as const, seen: version(seen), text });

describe("saving a file", () => {
  it("does not overwrite a concurrent change", async () => {
    const files = disk("theirs");
    const saved = await save(saving("seen", "mine"), files);
    expect([saved.wrote, versionOf(saved.now), files.content]).toEqual([false, version("theirs"), "theirs"]);
  });

  it("does not restore a file that was deleted meanwhile", async () => {
    const files = disk(null);
    expect((await save(saving("seen", "mine"), files)).wrote).toBe(false);
    expect(files.content).toBeNull();
  });

  it("writes over the version that was read, or creates the file", async () => {
    for (const seen of ["seen", null]) {
      const files = disk(seen);
      expect((await save(saving(seen, "mine"), files)).wrote).toBe(true);
      expect(files.content).toBe("mine");
    }
  });

  it("writes a file that was changed and changed back", async () => {
    const files = disk("theirs");
    files.onStale = () => (files.content = "seen");
    expect((await save(saving("seen", "mine"), files)).wrote).toBe(true);
    expect(files.content).toBe("mine");
  });

  it("passes on why a file cannot be written", async () => {
    const files = disk("seen");
    files.write = () => Promise.reject(new CallError("UNAVAILABLE", "cannot write SOUL.md"));
    await expect(save(saving("seen", "mine"), files)).rejects.toThrow("cannot write SOUL.md");
  });
});

describe("a text in a field", () => {
  it("keeps the line ends of its file", () => {
    expect(fromField("a\nb\n", "a\r\n")).toBe("a\r\nb\r\n");
    expect(fromField("a\nb", "a")).toBe("a\nb");
  });

  it("is the file itself where nothing was changed", () => {
    const mixed = "a\r\nb\nc\rd";
    expect(fromField(inField(mixed), mixed)).toBe(mixed);
  });

  it("is counted in lines, characters and bytes", () => {
    expect(sizeOf("")).toEqual({ lines: 0, characters: 0, bytes: 0 });
    expect(sizeOf("a\n")).toEqual({ lines: 1, characters: 2, bytes: 2 });
    expect(sizeOf("a\n\n🦉")).toEqual({ lines: 3, characters: 4, bytes: 7 });
  });
});

it("a draft is kept for as long as it differs from its file", () => {
  setDraft("main", "SOUL.md", { base: version("a"), text: "ab" });
  expect(draftOf("main", "SOUL.md")).toEqual({ base: version("a"), text: "ab" });
  expect(draftOf("ada", "SOUL.md")).toBeUndefined();
  setDraft("main", "SOUL.md", { base: version("a"), text: "a" });
  expect(draftOf("main", "SOUL.md")).toBeUndefined();
  // A missing file differs from an empty one.
  setDraft("main", "SOUL.md", { base: version(null), text: "" });
  expect(draftOf("main", "SOUL.md")).toBeDefined();
  discardDraft("main", "SOUL.md");
  expect(draftOf("main", "SOUL.md")).toBeUndefined();
});

it("an unknown file in the address opens the first one", () => {
  expect([fileOf("SOUL.md"), fileOf("../x"), fileOf(undefined)]).toEqual(["SOUL.md", "AGENTS.md", "AGENTS.md"]);
});
