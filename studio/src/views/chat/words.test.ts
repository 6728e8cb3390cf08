// Texts of the chat: summaries of calls, names of sessions.
import { describe, expect, it } from "vitest";
import { newSessionKey, sessionName } from "./sessions";
import { briefOf, exitCodeOf } from "./tool";

describe("a call of a tool", () => {
  it("is summarised by its most telling argument", () => {
    expect(briefOf({ timeout: 5, command: "npm run\n  build" })).toBe("npm run build");
    expect(briefOf({ a: 1 })).toBe('{"a":1}');
    expect(briefOf({})).toBe("");
    expect(briefOf({ path: "x".repeat(500) })).toHaveLength(161);
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
