import { afterEach, describe, expect, it } from "vitest";
import { language } from "../state/preferences";
import type { Phrase } from "./catalogue";
import { ago, catalogues, listed, moment, t } from ".";

const places = (phrase: Phrase): string[] => {
  const texts = typeof phrase === "string" ? [phrase] : Object.values(phrase);
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "")))].sort();
};

afterEach(() => {
  language.value = "en";
});

describe.each(Object.entries(catalogues))("the words of %s", (_, { en, zh }) => {
  const english: Record<string, Phrase> = en;
  const chinese: Record<string, Phrase> = zh;

  it("have the same keys in both languages", () => {
    expect(Object.keys(chinese)).toEqual(Object.keys(english));
  });

  it("name the same values in both languages", () => {
    for (const [key, phrase] of Object.entries(english)) expect(places(chinese[key] ?? ""), key).toEqual(places(phrase));
  });

  it("mark the same pieces as code", () => {
    const code = (phrase: Phrase | undefined) => String(typeof phrase === "object" ? phrase.other : phrase).match(/`[^`]+`/g) ?? [];
    for (const [key, phrase] of Object.entries(english)) expect(code(chinese[key]), key).toEqual(code(phrase));
  });
});

describe("a sentence", () => {
  it("has its values in it", () => {
    expect(t("shared.usableOf", { ready: 23, all: 1058 })).toBe("23 of 1,058");
  });

  it("has the plural form of its number", () => {
    expect(t("shared.needSetup", { n: 1 })).toBe("1 needs setup");
    expect(t("shared.needSetup", { n: 14 })).toBe("14 need setup");
  });

  it("changes with the language", () => {
    language.value = "zh";
    expect(t("shared.usableOf", { ready: 23, all: 58 })).toBe("23 / 58");
    expect(t("shared.needSetup", { n: 1 })).toBe("1 个需要设置");
  });

  it("does not expand placeholders inside a value", () => {
    expect(t("shared.settingsOf", { name: "{name}" })).toBe("Settings of {name}");
  });
});

describe("a moment", () => {
  const now = new Date(2026, 10, 17, 21, 0).getTime();

  it("is a time today, a weekday in the last week, else a day", () => {
    expect(moment(new Date(2026, 10, 17, 18, 2).getTime(), now)).toBe("18:02");
    expect(moment(new Date(2026, 10, 13, 18, 2).getTime(), now)).toBe("Fri");
    expect(moment(new Date(2026, 9, 9).getTime(), now)).toBe("Oct 9");
    expect(moment(new Date(2025, 9, 9).getTime(), now)).toBe("Oct 9, 2025");
  });

  it("is relative to now", () => {
    expect(ago(now - 125_000, now)).toBe("2 min. ago");
    expect(ago(now + 3 * 3_600_000, now)).toBe("in 3 hr.");
  });
});

it("names are joined as in a sentence", () => {
  expect(listed(["Mira", "Ada", "Researcher"])).toBe("Mira, Ada, and Researcher");
});

/** Retired Chinese words, each with the one that is used instead. */
const RETIRED = {
  代理: "智能体",
  审批: "批准",
  核准: "批准",
  准许: "允许",
  获准: "已允许",
  登记: "注册",
  技巧: "技能",
  会谈: "会话",
  应答: "响应",
} as const;

describe("Chinese texts", () => {
  const gateway = import.meta.glob<Record<string, unknown>>("./gateway/*.ts", { eager: true });
  const textsOf = (value: unknown): string[] =>
    typeof value === "string" ? [value] : typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
  const texts = [...Object.values(catalogues).flatMap(({ zh }) => textsOf(zh)), ...Object.values(gateway).flatMap(textsOf)];

  it("have no retired word", () => {
    expect(texts.length).toBeGreaterThan(1000);
    const found = texts.flatMap((text) => Object.entries(RETIRED).filter(([word]) => text.includes(word)).map(([word, use]) => `${text}: ${word} -> ${use}`));
    expect(found).toEqual([]);
  });

  it("leave no English sentence untranslated", () => {
    const english = texts.filter((text) => /^[A-Z][a-z]+ [a-z]+ [a-z]+/.test(text));
    expect(english).toEqual([]);
  });
});
