import { type ComponentChildren, toChildArray } from "preact";
import { afterEach, describe, expect, it } from "vitest";
import { CallError } from "../gateway/failure";
import protocol from "../generated/protocol.json";
import { language } from "../state/preferences";
import { appFault } from "./gateway/apps";
import { configFaults } from "./gateway/config";
import { diagnostics } from "./gateway/diagnostics";
import { errors } from "./gateway/errors";
import { noAnswers } from "./gateway/no-answer";
import { rules } from "./gateway/rules";
import { setUpRemark } from "./gateway/setup";
import { tools } from "./gateway/tools";
import { chineseFor, withFullStop, gatewayText, asSentence, callErrorText, withChinese } from "./gateway-text";

/** A variant of a protocol type; `code` identifies a variant with fields. */
type Branch = { const?: string; enum?: string[]; properties?: { code?: { const?: string } } };

const branches = (name: keyof typeof protocol.$defs): Branch[] => {
  const definition = protocol.$defs[name] as Branch & { oneOf?: Branch[] };
  return definition.oneOf ?? [definition];
};

/** Every id of a closed set. */
const idsOf = (name: keyof typeof protocol.$defs): string[] =>
  branches(name).flatMap((branch) => branch.const ?? branch.enum ?? branch.properties?.code?.const ?? []);

type Drawn = { type?: unknown; props: { children?: ComponentChildren; lang?: string } };

/** The rendered text, with `<` and `>` around parts marked as English. */
function drawn(of: ComponentChildren): string {
  return toChildArray(of)
    .map((child) => {
      if (typeof child !== "object") return String(child);
      const { children, lang } = (child as Drawn).props;
      return lang === "en" ? `<${drawn(children)}>` : drawn(children);
    })
    .join("");
}

const inChinese = <T,>(make: () => T): T => {
  language.value = "zh";
  return make();
};

afterEach(() => {
  language.value = "en";
});

describe.each<[keyof typeof protocol.$defs, Readonly<Record<string, unknown>>]>([
  ["ErrorCode", errors],
  ["RpcCode", errors],
  ["NoAnswer", noAnswers],
  ["DiagnosticCode", diagnostics],
  ["ConfigFault", configFaults],
  ["ToolId", tools],
  ["RuleId", rules],
])("%s", (name, words) => {
  const ids = idsOf(name);

  it("has Chinese words for each id, and only an English page shows the gateway's", () => {
    expect(ids.length).toBeGreaterThan(2);
    for (const id of ids) {
      language.value = "zh";
      expect(JSON.stringify(chineseFor(words, id) ?? ""), id).toMatch(/\p{Script=Han}/u);
      language.value = "en";
      expect(chineseFor(words, id), id).toBeUndefined();
    }
  });

  it("follows Chinese typography", () => {
    for (const text of ids.flatMap((id) => textsOf(words[id]))) {
      // Full-width punctuation after Chinese, and a space between Chinese and Latin.
      expect(text).not.toMatch(/\p{Script=Han}[,;:!?]|\p{Script=Han}[A-Za-z0-9]|[A-Za-z0-9]\p{Script=Han}/u);
      expect(text).not.toMatch(/\p{Script=Han}`|`\p{Script=Han}/u);
    }
  });
});

const textsOf = (words: unknown): string[] => (typeof words === "string" ? [words] : Object.values(words as Record<string, string>));

it("every validation problem and every install note has a text", () => {
  const values = { found: "list", field: "mode", mode: "off", position: 2, program: "op" };
  const faults = idsOf("AppFault").map((code) => appFault({ ...values, code } as never));
  const remarks = idsOf("InstallRemark").map((code) => setUpRemark({ ...values, code } as never));
  expect(faults.length).toBe(8);
  expect(remarks.length).toBe(3);
  for (const text of [...faults, ...remarks]) expect(text).toMatch(/\p{Script=Han}/u);
});

describe("a failed call", () => {
  const denied = new CallError("FORBIDDEN", "the agent `ada` may not", { code: "denied", hint: "ask" });

  it("shows the gateway's message on an English page", () => {
    for (const code of idsOf("ErrorCode")) {
      expect(drawn(callErrorText(new CallError("UNAVAILABLE", `words of ${code}`, { code })))).toBe(`words of ${code}`);
    }
    expect(drawn(callErrorText(denied, asSentence))).toBe("The agent ada may not.");
  });

  it("shows the text for its code on a Chinese page, with the gateway's message as detail", () => {
    expect(inChinese(() => drawn(callErrorText(denied)))).toBe("策略不允许。如应允许，请更改详情所述的策略。详情：<the agent ada may not>");
  });

  it("shows the text for its class if its code is missing or unknown", () => {
    const vague = new CallError("INVALID_REQUEST", "no", { code: "SOMETHING_NEW" });
    expect(inChinese(() => drawn(callErrorText(vague)))).toBe(`${errors.INVALID_REQUEST}详情：<no>`);
    expect(inChinese(() => drawn(callErrorText(new CallError("BRAND_NEW", "no"))))).toBe("<no>");
  });

  it("of the page itself has no English detail", () => {
    expect(inChinese(() => drawn(callErrorText(new CallError("TIMEOUT", "The gateway did not answer in time."))))).toBe(errors.TIMEOUT);
  });
});

describe("a text of the gateway", () => {
  it("is marked as English on a Chinese page only", () => {
    expect(drawn(gatewayText("run `op`"))).toBe("run op");
    expect(inChinese(() => drawn(gatewayText("run `op`")))).toBe("<run op>");
    expect(inChinese(() => drawn(withChinese(undefined, "why")))).toBe("<why>");
  });

  it("ends with one full stop", () => {
    expect([withFullStop("so"), withFullStop("so."), withFullStop("如此。"), withFullStop("")]).toEqual(["so.", "so.", "如此。", ""]);
    expect(asSentence("it is so")).toBe("It is so.");
  });
});
