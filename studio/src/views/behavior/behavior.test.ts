import { describe, expect, it } from "vitest";
import type { AgentFileAnswer } from "../../generated/protocol";
import { draftOf, dropDraft, keepDraft } from "./drafts";
import { fileOf } from "./files";
import { type Files, contentOf, save } from "./save";
import { fromField, inField, sizeOf } from "./text";

/** Files in memory. */
function disk(content: string | null): Files & { content: string | null } {
  const answer = (): AgentFileAnswer => ({
    agentId: "main",
    workspace: "/w",
    file: { name: "SOUL.md", path: "/w/SOUL.md", missing: at.content === null, ...(at.content !== null && { content: at.content }) },
  });
  const at = {
    content,
    read: async () => answer(),
    write: async (_: string, __: string, text: string) => {
      at.content = text;
      return answer();
    },
  };
  return at;
}

const saving = (seen: string | null, text: string) => ({ agentId: "main", name: "SOUL.md" as const, seen, text });

describe("saving a file", () => {
  it("does not write over what somebody else wrote meanwhile", async () => {
    const files = disk("theirs");
    const saved = await save(saving("seen", "mine"), files);
    expect([saved.wrote, contentOf(saved.now), files.content]).toEqual([false, "theirs", "theirs"]);
  });

  it("does not bring back a file that was deleted meanwhile", async () => {
    const files = disk(null);
    expect((await save(saving("seen", "mine"), files)).wrote).toBe(false);
    expect(files.content).toBeNull();
  });

  it("writes what was seen, also a file that was not there", async () => {
    for (const seen of ["seen", null]) {
      const files = disk(seen);
      expect((await save(saving(seen, "mine"), files)).wrote).toBe(true);
      expect(files.content).toBe("mine");
    }
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
  keepDraft("main", "SOUL.md", { base: "a", text: "ab" });
  expect(draftOf("main", "SOUL.md")).toEqual({ base: "a", text: "ab" });
  expect(draftOf("ada", "SOUL.md")).toBeUndefined();
  keepDraft("main", "SOUL.md", { base: "a", text: "a" });
  expect(draftOf("main", "SOUL.md")).toBeUndefined();
  // A file that is not there differs from an empty one.
  keepDraft("main", "SOUL.md", { base: null, text: "" });
  expect(draftOf("main", "SOUL.md")).toBeDefined();
  dropDraft("main", "SOUL.md");
  expect(draftOf("main", "SOUL.md")).toBeUndefined();
});

it("an address with a file that there is not leads to the first one", () => {
  expect([fileOf("SOUL.md"), fileOf("../x"), fileOf(undefined)]).toEqual(["SOUL.md", "AGENTS.md", "AGENTS.md"]);
});
