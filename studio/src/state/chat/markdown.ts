// A small Markdown parser: the text of an answer as a tree of blocks and spans. No DOM access.
// Any text becomes a tree of bounded depth in linear time. Nothing becomes markup; links lead only to http, https or
// mailto. Unfinished text, such as an open fence, is parsed as far as it goes.

export type Span =
  | { type: "text"; text: string }
  | { type: "code"; text: string }
  | { type: "strong" | "em" | "del"; spans: Span[] }
  | { type: "link"; href: string; spans: Span[] }
  | { type: "break" };

export type MdBlock =
  | { type: "paragraph"; spans: Span[] }
  | { type: "heading"; level: number; spans: Span[] }
  | { type: "code"; language: string; text: string; isOpen: boolean }
  | { type: "list"; start: number | undefined; items: MdBlock[][] }
  | { type: "quote"; blocks: MdBlock[] }
  | { type: "table"; head: Span[][]; rows: Span[][][]; align: Align[] }
  | { type: "rule" };

export type Align = "left" | "right" | "center" | undefined;

/** Beyond this depth, the rest is one plain paragraph. */
const LONGEST = 200_000;
const DEEPEST = 6;
const MOST_COLUMNS = 24;

export function markdown(text: string): MdBlock[] {
  const blocks = blocksOf(text.slice(0, LONGEST).replace(/\r\n?/g, "\n").split("\n"), 0);
  if (text.length > LONGEST) blocks.push({ type: "code", language: "", text: text.slice(LONGEST), isOpen: false });
  return blocks;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const BULLET = /^( {0,3})([-*+])[ \t]+(.*)$/;
const NUMBERED = /^( {0,3})(\d{1,9})[.)][ \t]+(.*)$/;
const DIVIDER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

function blocksOf(lines: readonly string[], depth: number): MdBlock[] {
  const blocks: MdBlock[] = [];
  if (depth >= DEEPEST) return paragraph(lines, blocks);
  for (let at = 0; at < lines.length; ) at = oneBlock(lines, at, depth, blocks);
  return blocks;
}

/** Parses the block that begins at a line; returns the line of the next one. */
function oneBlock(lines: readonly string[], at: number, depth: number, into: MdBlock[]): number {
  const line = lines[at] ?? "";
  if (line.trim() === "") return at + 1;
  const fence = FENCE.exec(line);
  if (fence) return fenced(lines, at, fence, into);
  const heading = HEADING.exec(line);
  if (heading) {
    into.push({ type: "heading", level: heading[1]?.length ?? 1, spans: spansOf((heading[2] ?? "").replace(/[ \t]+#+[ \t]*$/, "")) });
    return at + 1;
  }
  if (RULE.test(line)) {
    into.push({ type: "rule" });
    return at + 1;
  }
  if (QUOTE.test(line)) return quoted(lines, at, depth, into);
  if (BULLET.test(line) || NUMBERED.test(line)) return listed(lines, at, depth, into);
  if (line.includes("|") && DIVIDER.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-")) {
    const end = tabled(lines, at, into);
    if (end > at) return end;
  }
  let end = at + 1;
  while (end < lines.length && !beginsBlock(lines[end] ?? "")) end += 1;
  paragraph(lines.slice(at, end), into);
  return end;
}

const beginsBlock = (line: string): boolean =>
  line.trim() === "" || FENCE.test(line) || HEADING.test(line) || QUOTE.test(line) || BULLET.test(line) || NUMBERED.test(line) || RULE.test(line);

function paragraph(lines: readonly string[], into: MdBlock[]): MdBlock[] {
  const text = lines.join("\n").trim();
  if (text !== "") into.push({ type: "paragraph", spans: spansOf(text) });
  return into;
}

function fenced(lines: readonly string[], at: number, fence: RegExpExecArray, into: MdBlock[]): number {
  const mark = fence[1] ?? "```";
  const isEnd = (line: string) => {
    const end = line.trim();
    return end.length >= mark.length && end === (mark[0] ?? "`").repeat(end.length);
  };
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end] ?? "")) end += 1;
  into.push({ type: "code", language: (fence[2] ?? "").slice(0, 32), text: lines.slice(at + 1, end).join("\n"), isOpen: end >= lines.length });
  return end + 1;
}

function quoted(lines: readonly string[], at: number, depth: number, into: MdBlock[]): number {
  const inner: string[] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const found = QUOTE.exec(lines[end] ?? "");
    if (!found) break;
    inner.push(found[1] ?? "");
  }
  into.push({ type: "quote", blocks: blocksOf(inner, depth + 1) });
  return end;
}

function listed(lines: readonly string[], at: number, depth: number, into: MdBlock[]): number {
  const kind = BULLET.test(lines[at] ?? "") ? BULLET : NUMBERED;
  const first = kind.exec(lines[at] ?? "");
  const start = kind === NUMBERED ? Number(first?.[2]) : undefined;
  const indent = first?.[1]?.length ?? 0;
  const items: string[][] = [];
  let end = at;
  for (let isAfterGap = false; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    const item = kind.exec(line);
    // One with a deeper indent belongs to the item above it.
    if (item && (item[1]?.length ?? 0) < indent + 2 && !RULE.test(line)) {
      items.push([item[3] ?? ""]);
    } else if (line.trim() === "") {
      // A blank line belongs to the list if the list goes on after it.
      const next = lines[end + 1] ?? "";
      if (!/^(\t| {2,})\S/.test(next) && !kind.test(next)) break;
      items.at(-1)?.push("");
    } else if (/^(\t| {2,})/.test(line)) {
      items.at(-1)?.push(line.replace(/^(\t| {1,4})/, ""));
    } else if (isAfterGap || beginsBlock(line)) {
      break;
    } else {
      items.at(-1)?.push(line);
    }
    isAfterGap = line.trim() === "";
  }
  into.push({ type: "list", start, items: items.map((item) => blocksOf(item, depth + 1)) });
  return Math.max(end, at + 1);
}

function tabled(lines: readonly string[], at: number, into: MdBlock[]): number {
  const head = cells(lines[at] ?? "");
  const align = cells(lines[at + 1] ?? "").map(alignOf);
  if (head.length !== align.length || head.length > MOST_COLUMNS) return at;
  let end = at + 2;
  const rows: Span[][][] = [];
  for (; end < lines.length && (lines[end] ?? "").includes("|"); end += 1) {
    const row = cells(lines[end] ?? "").slice(0, head.length);
    rows.push(head.map((_, index) => spansOf(row[index] ?? "")));
  }
  into.push({ type: "table", head: head.map(spansOf), rows, align });
  return end;
}

const cells = (line: string): string[] =>
  line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

function alignOf(cell: string): Align {
  if (cell.endsWith(":")) return cell.startsWith(":") ? "center" : "right";
  return cell.startsWith(":") ? "left" : undefined;
}

/** Only these characters begin a span; everything else is text up to the next of them. */
const SPECIAL = /[`*_~[<\\\n]|https?:\/\//g;
const ADDRESS = /^https?:\/\/[^\s<>"'`]+/;
const LINK = /^\[((?:[^\][\\\n]|\\.){0,500})\]\(\s*<?([^\s<>()]{0,2000}(?:\([^\s<>()]{0,500}\)[^\s<>()]{0,500})?)>?(?:\s+"[^"\n]{0,300}")?\s*\)/;
const ANGLED = /^<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/;

export function spansOf(text: string, depth = 0): Span[] {
  const spans: Span[] = [];
  if (depth >= DEEPEST) return [{ type: "text", text }];
  let plain = "";
  const put = (span: Span) => {
    if (plain) spans.push({ type: "text", text: plain });
    plain = "";
    spans.push(span);
  };
  // A marker whose end was not found is not searched again: the time stays linear.
  const hopeless = new Set<string>();
  for (let at = 0; at < text.length; ) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(text)?.index ?? text.length;
    plain += text.slice(at, next);
    at = next;
    if (at >= text.length) break;
    const found = special(text, at, depth, hopeless);
    if (found.span) put(found.span);
    else plain += found.plain ?? text[at];
    at += found.length;
  }
  if (plain) spans.push({ type: "text", text: plain });
  return spans;
}

type Found = { span?: Span; plain?: string; length: number };

function special(text: string, at: number, depth: number, hopeless: Set<string>): Found {
  const sign = text[at] ?? "";
  const rest = () => text.slice(at, at + 4000);
  if (sign === "\\") {
    const next = text[at + 1] ?? "";
    return /[!-/:-@[-`{-~]/.test(next) ? { plain: next, length: 2 } : { plain: "\\", length: 1 };
  }
  if (sign === "\n") return { span: { type: "break" }, length: 1 };
  if (sign === "`") return code(text, at, hopeless);
  if (sign === "[") {
    const link = LINK.exec(rest());
    const href = safe(link?.[2] ?? "");
    if (link && href) return { span: { type: "link", href, spans: spansOf(link[1] ?? "", depth + 1) }, length: link[0].length };
    return { plain: "[", length: 1 };
  }
  if (sign === "<") {
    const angled = ANGLED.exec(rest());
    const href = safe(angled?.[1] ?? "");
    return angled && href ? { span: { type: "link", href, spans: [{ type: "text", text: angled[1] ?? "" }] }, length: angled[0].length } : { plain: "<", length: 1 };
  }
  if (sign === "h") return bare(rest());
  return emphasis(text, at, depth, hopeless);
}

function code(text: string, at: number, hopeless: Set<string>): Found {
  let end = at;
  while (text[end] === "`") end += 1;
  const mark = text.slice(at, end);
  const close = hopeless.has(mark) ? -1 : findRun(text, mark, end);
  if (close < 0) {
    hopeless.add(mark);
    return { plain: mark, length: mark.length };
  }
  const inner = text.slice(end, close).replaceAll("\n", " ");
  return { span: { type: "code", text: inner.replace(/^ (.*[^ ].*) $/, "$1") }, length: close + mark.length - at };
}

/** The position of a run of exactly these characters. */
function findRun(text: string, mark: string, from: number): number {
  for (let at = text.indexOf(mark, from); at >= 0; ) {
    let end = at;
    while (text[end] === "`") end += 1;
    if (end - at === mark.length) return at;
    at = text.indexOf(mark, end);
  }
  return -1;
}

function bare(rest: string): Found {
  const address = ADDRESS.exec(rest)?.[0].replace(/[.,;:!?)\]}，。；：！？）】》]+$/, "") ?? "";
  const href = safe(address);
  if (!href) return { plain: rest[0] ?? "", length: 1 };
  return { span: { type: "link", href, spans: [{ type: "text", text: address }] }, length: address.length };
}

function emphasis(text: string, at: number, depth: number, hopeless: Set<string>): Found {
  const sign = text[at] ?? "";
  const isDouble = text[at + 1] === sign;
  const mark = isDouble ? sign + sign : sign;
  const plain = { plain: mark, length: mark.length };
  if (sign === "~" && !isDouble) return plain;
  const from = at + mark.length;
  // It opens before a word, and `_` not inside of one.
  if (/\s/.test(text[from] ?? " ") || (sign === "_" && /[\p{L}\p{N}]/u.test(text[at - 1] ?? ""))) return plain;
  const end = hopeless.has(mark) ? -1 : closing(text, mark, from);
  if (end < 0) {
    hopeless.add(mark);
    return plain;
  }
  const spans = spansOf(text.slice(from, end), depth + 1);
  return { span: { type: sign === "~" ? "del" : isDouble ? "strong" : "em", spans }, length: end + mark.length - at };
}

function closing(text: string, mark: string, from: number): number {
  for (let at = text.indexOf(mark, from + 1); at >= 0; at = text.indexOf(mark, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text[at + mark.length] ?? " ";
    if (/\s|\\/.test(before)) continue;
    if (mark.length === 1 && (after === mark || before === mark)) continue;
    if (mark[0] === "_" && /[\p{L}\p{N}]/u.test(after)) continue;
    return at;
  }
  return -1;
}

/** The address, if a page may link to it. */
export function safe(href: string): string | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return undefined;
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}
