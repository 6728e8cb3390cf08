// Texts of the chat: summaries of calls, names of sessions.
import { describe, expect, it } from "vitest";
import { newSessionKey, sessionName } from "./sessions";
import { briefOf, exitCodeOf, iconOf } from "./tool";

describe("a call of a tool", () => {
  it("is summarised by its most telling argument", () => {
    expect(briefOf({ timeout: 5, command: "npm run\n  build" })).toBe("npm run build");
    expect(briefOf({ a: 1 })).toBe('{"a":1}');
    expect(briefOf({})).toBe("");
    expect(briefOf({ path: "x".repeat(500) })).toHaveLength(161);
  });

  it("of apply_patch is summarised by the files of the patch", () => {
    const input = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-*** Add File: no\n+b\n*** Delete File: old notes.md\n*** End Patch";
    expect(briefOf({ input })).toBe("src/a.ts, old notes.md");
    expect(briefOf({ input: "no patch" })).toBe('{"input":"no patch"}');
  });

  it("has an icon by its tool, and an unknown tool by its name", () => {
    const table = { read: "file", write: "edit", edit: "edit", apply_patch: "edit", web_fetch: "network", web_search: "search", exec: "shell", memory_get: "book", mcp_read_file: "file", constructor: "wrench" };
    expect(Object.fromEntries(Object.keys(table).map((name) => [name, iconOf(name)]))).toEqual(table);
  });

  it("has an exit code only if the result has one", () => {
    const table = [[{ exitCode: 0 }, 0], [{ exit_code: 2 }, 2], [{ exitCode: "1" }, undefined], [{ exitCode: 1.5 }, undefined], [null, undefined], ["x", undefined]] as const;
    for (const [details, code] of table) expect(exitCodeOf(details)).toBe(code);
  });
});

describe("a session", () => {
  it("is named by its label, else by the end of its key", () => {
    expect(sessionName("agent:main:a:b", undefined)).toBe("a:b");
    expect(sessionName("odd", undefined)).toBe("odd");
  });

  it("that is new is named by its start time", () => {
    expect(newSessionKey("main", new Date(2026, 0, 2, 3, 4, 5))).toBe("agent:main:2026-01-02-030405");
  });
});
