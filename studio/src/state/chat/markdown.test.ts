// Parsing of Markdown, and that no text becomes markup.
import { describe, expect, it } from "vitest";
import { type MdBlock, type Span, markdown, spansOf } from "./markdown";

const text = (spans: readonly Span[]): string => spans.map((span) => ("text" in span ? span.text : "spans" in span ? text(span.spans) : "\n")).join("");

describe("blocks", () => {
  it("reads each kind", () => {
    const source = "# Title\n\nOne **bold** and `code`.\n\n- a\n- b\n  - c\n\n3. x\n4. y\n\n> said\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n---\n\n```js\nlet a;\n```";
    expect(markdown(source).map(({ type }) => type)).toEqual(["heading", "paragraph", "list", "list", "quote", "table", "rule", "code"]);
    expect(markdown(source)[2]).toMatchObject({ items: [[{ type: "paragraph" }], [{ type: "paragraph" }, { type: "list" }]] });
    expect(markdown(source)[3]).toMatchObject({ start: 3 });
    expect(markdown(source)[5]).toMatchObject({ align: [undefined, "center"], rows: [[[{ text: "1" }], [{ text: "2" }]]] });
  });

  it("a fence that is still open is code as far as it goes", () => {
    expect(markdown("So:\n```sh\nnpm run")).toMatchObject([{ type: "paragraph" }, { type: "code", language: "sh", text: "npm run", isOpen: true }]);
    expect(markdown("```")).toMatchObject([{ type: "code", text: "", isOpen: true }]);
  });

  it("a list that follows a sentence is a list", () => {
    expect(markdown("Say one:\n- a\n- b").map(({ type }) => type)).toEqual(["paragraph", "list"]);
  });

  it("every beginning of a text is read, as while it streams", () => {
    const source = "# T\n\n**b _e_** `c` [l](https://a.b)\n\n| a | b |\n|--|--|\n| 1 |\n\n```\nx\n```\n1. a\n\n   b";
    for (let end = 0; end <= source.length; end += 1) expect(() => markdown(source.slice(0, end))).not.toThrow();
  });
});

describe("spans", () => {
  it("reads marks, and leaves other characters", () => {
    expect(spansOf("**b** *e* ~~d~~ `c*`")).toMatchObject([{ type: "strong" }, { text: " " }, { type: "em" }, { text: " " }, { type: "del" }, { text: " " }, { type: "code", text: "c*" }]);
    for (const plain of ["2 * 3 * 4", "snake_case_name", "a ** b", "**open", "`open", "[a] (b)", "5 < 6"]) {
      expect(spansOf(plain)).toEqual([{ type: "text", text: plain }]);
    }
    expect(text(spansOf("\\*not\\*"))).toBe("*not*");
  });

  it("links only to http, https and mailto", () => {
    const hrefs = (source: string) => spansOf(source).flatMap((span) => (span.type === "link" ? [span.href] : []));
    expect(hrefs("[a](https://a.example/x) <mailto:a@b.example> see http://b.example/y.")).toEqual(["https://a.example/x", "mailto:a@b.example", "http://b.example/y"]);
    for (const bad of ["[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](data:text/html,x)", "[a](//evil)", "[a](/x)", "[a](https://)", "<javascript:1>", "[a](\tjavascript:1)", "[a](vbscript:x)", "[a](file:///etc/passwd)"]) {
      expect(hrefs(bad), bad).toEqual([]);
    }
  });
});

describe("hostile texts", () => {
  const depth = (blocks: readonly MdBlock[]): number =>
    1 + Math.max(0, ...blocks.map((block) => (block.type === "quote" ? depth(block.blocks) : block.type === "list" ? Math.max(0, ...block.items.map(depth)) : 0)));

  it("markup stays text", () => {
    const source = '<script>alert(1)</script><img src=x onerror="alert(1)">';
    expect(text((markdown(source)[0] as MdBlock & { type: "paragraph" }).spans)).toBe(source);
  });

  it("depth is bounded", () => {
    expect(depth(markdown(">".repeat(5000) + "x"))).toBeLessThan(10);
    expect(depth(markdown(Array.from({ length: 200 }, (_, level) => `${"  ".repeat(level)}- x`).join("\n")))).toBeLessThan(10);
  });

  it("marks that are never closed end in text, however many there are", () => {
    for (const piece of ["*", "**a ", "_a ", "`", "``a ", "[", "[a](", "![](", "<", "|", "- ", "> ", "\\", "~~", "https://", "1. ", "a|b\n-|-\n", "```\n", "(("]) {
      expect(markdown(piece.repeat(Math.floor(60_000 / piece.length))), piece).toBeInstanceOf(Array);
    }
  });

  it("an oversized text ends as plain text, with nothing lost", () => {
    const source = "a".repeat(250_000);
    const [first, second] = markdown(source);
    expect((first?.type === "paragraph" ? text(first.spans).length : 0) + (second?.type === "code" ? second.text.length : 0)).toBe(source.length);
  });
});
