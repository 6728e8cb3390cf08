import { toChildArray } from "preact";
import { describe, expect, it } from "vitest";
import { visibleText, withMarks } from "./visible";

describe("a text from outside", () => {
  it("shows characters that hide or turn around text", () => {
    const table = [
      ["safe\u202Egnp.exe", "safe[U+202E]gnp.exe"],
      ["a\u0000b\u001B[31m", "a[U+0000]b[U+001B][31m"],
      ["two\nlines\r", "two[U+000A]lines[U+000D]"],
      ["\u200Bx\uFEFF\u2066y\u2069", "[U+200B]x[U+FEFF][U+2066]y[U+2069]"],
      ["tag \u{E0041}", "tag [U+E0041]"],
    ] as const;
    for (const [text, shown] of table) expect(visibleText(text)).toBe(shown);
  });

  it("keeps what is visible: tabs, joiners, emoji and every script", () => {
    for (const text of ["a\tb", "👩‍🚀 ❤️", "قائمة", "水やり", "<b>bold</b>", ""]) {
      expect(visibleText(text)).toBe(text);
      expect(withMarks(text)).toBe(text);
    }
  });

  it("marks them as elements, so that the same text written out looks different", () => {
    const pieces = toChildArray(withMarks("x[U+202E]\u202Ey")).map((piece) => (typeof piece === "object" ? piece.props.children : piece));
    expect(pieces).toEqual(["x[U+202E]", "[U+202E]", "y"]);
  });
});
