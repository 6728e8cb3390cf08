// A screen of the Application Manager, read from the text that it prints, so that its choices can be buttons.
// Promises: a button sends the very word or number that is printed; a text that is not a screen, to the last line, is none.
import { type MenuTexts, menuTexts } from "./menu-texts";

export type Choice = { send: string; label: string; /** What stands behind the name, such as `running`. */ state?: string };

export type Menu = {
  /** What happened, before the screen. */
  said: string[];
  title: string;
  /** What the screen tells, line by line. */
  lines: string[];
  /** The heading above the numbered choices, where it has one. */
  heading: string | undefined;
  numbered: Choice[];
  /** The heading above the words. */
  commands: string | undefined;
  words: string[];
  /** The sentences that say what can be answered. */
  hints: string[];
};

const LONGEST = 64_000;
const NUMBERED = /^(\d{1,4})\. (.+)$/;
const WORD = /`([a-z]+)`/g;

/** The words that stand apart: they lead away. */
export const leadsAway = (word: string): boolean => word === "quit" || word === "no";

export function menuOf(text: string): Menu | undefined {
  if (text.length > LONGEST) return undefined;
  const lines = text.trimEnd().split("\n");
  for (const texts of menuTexts) {
    const menu = startScreen(lines, texts) ?? question(lines, texts) ?? yesOrNo(lines, texts);
    if (menu) return menu;
  }
  return undefined;
}

function startScreen(lines: readonly string[], texts: MenuTexts): Menu | undefined {
  const hint = lines.at(-1) ?? "";
  const at = lines.lastIndexOf(texts.title);
  const path = lines[at + 1] ?? "";
  if (at < 0 || !texts.startReplies.includes(hint) || !path.startsWith(texts.registryFile)) return undefined;
  const commandsAt = lines.lastIndexOf(texts.commands);
  const words = lines.slice(commandsAt + 1, -1).filter((line) => line !== "");
  if (commandsAt < at || words.length === 0 || !words.every((line) => /^- [a-z]+$/.test(line))) return undefined;
  const body = lines.slice(at + 1, commandsAt);
  const appsAt = body.indexOf(texts.applications);
  const apps = appsAt < 0 ? [] : body.slice(appsAt + 1).filter((line) => line !== "");
  const numbered = numberedOf(apps.filter((line) => NUMBERED.test(line)), texts);
  if (!numbered) return undefined;
  return {
    said: saidBefore(lines, at),
    title: texts.title,
    lines: [...(appsAt < 0 ? body : body.slice(0, appsAt)), ...apps.filter((line) => !NUMBERED.test(line))].filter((line) => line !== ""),
    heading: appsAt < 0 ? undefined : texts.applications,
    numbered,
    commands: texts.commands,
    words: words.map((line) => line.slice(2)),
    hints: [hint],
  };
}

/** A list to choose from, or a question with words to answer it. */
function question(lines: readonly string[], texts: MenuTexts): Menu | undefined {
  const at = lines.findLastIndex((line) => texts.titles.includes(line) || texts.which.includes(line));
  if (at < 0 || lines.at(-1) !== texts.backOrQuit) return undefined;
  const body = lines.slice(at + 1, -1);
  const replyAt = body.indexOf(texts.replyWith);
  const list = replyAt >= 0 ? body.slice(replyAt + 1) : body;
  const numbered = numberedOf(list.filter((line) => NUMBERED.test(line)), texts);
  if (!numbered) return undefined;
  const isNumber = (line: string, index: number) => NUMBERED.test(line) && (replyAt < 0 || index > replyAt);
  // The words of sentences before the last one: `skip`, `keep`, `clear`, the modes. Values of the registry are no sentences of ours.
  const offered = body.filter((line) => line === texts.mode || isOffer(line)).flatMap(wordsIn);
  return {
    said: saidBefore(lines, at),
    title: lines[at] ?? "",
    lines: body.filter((line, index) => line !== "" && !isNumber(line, index) && line !== texts.replyWith && line !== texts.pick),
    heading: replyAt >= 0 ? texts.replyWith : undefined,
    numbered,
    commands: undefined,
    words: [...offered, "back", "quit"],
    hints: [...(body.includes(texts.pick) ? [texts.pick] : []), texts.backOrQuit],
  };
}

function yesOrNo(lines: readonly string[], texts: MenuTexts): Menu | undefined {
  if (lines.at(-1) !== texts.yesOrNo) return undefined;
  const titled = lines.findLastIndex((line) => texts.titles.includes(line));
  // A question by itself is its own headline: the line before the answer.
  const at = titled >= 0 ? titled : lines.length - 2;
  const title = lines[at] ?? "";
  if (at < 0 || title === "" || !/[?？]$/.test(lines.at(-2) ?? "")) return undefined;
  return {
    said: saidBefore(lines, at),
    title,
    lines: lines.slice(at + 1, -1).filter((line) => line !== ""),
    heading: undefined,
    numbered: [],
    commands: undefined,
    words: ["yes", "no"],
    hints: [texts.yesOrNo],
  };
}

/** The choices, which count from 1; undefined when they do not. */
function numberedOf(lines: readonly string[], texts: MenuTexts): Choice[] | undefined {
  const choices = lines.map((line): Choice => {
    const [, send = "", label = ""] = NUMBERED.exec(line) ?? [];
    const state = [texts.running, "off"].find((word) => label.endsWith(` (${word})`));
    return state ? { send, label: label.slice(0, -state.length - 3), state } : { send, label };
  });
  return choices.every(({ send }, index) => send === String(index + 1)) ? choices : undefined;
}

const OFFERS = [/^Send an empty line or `(skip|keep)` to /, /^Send `clear` to remove it\.$/, /^发送空行或`(skip|keep)`可/, /^发送`clear`可/];
const isOffer = (line: string): boolean => OFFERS.some((offer) => offer.test(line));
const wordsIn = (line: string): string[] => [...line.matchAll(WORD)].map((match) => match[1] ?? "");

/** What was said before the screen, without the empty line between. */
function saidBefore(lines: readonly string[], at: number): string[] {
  return lines.slice(0, at).join("\n").trim().split("\n").filter((line, _, all) => all.length > 1 || line !== "");
}
