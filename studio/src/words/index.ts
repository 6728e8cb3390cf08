// The texts of the page in the person's language: `t("skills.header", { ready: 23, all: 58 })`.
// A component that reads a text renders again when the language changes. Numbers and dates use Intl.
import { language } from "../state/preferences";
import about from "./about";
import advanced from "./advanced";
import apps from "./apps";
import automations from "./automations";
import behavior from "./behavior";
import capabilities from "./capabilities";
import type { Names, Phrase } from "./catalogue";
import changes from "./changes";
import chat from "./chat";
import connect from "./connect";
import logs from "./logs";
import setup from "./setup";
import shared from "./shared";
import skills from "./skills";

export const catalogues = {
  about,
  advanced,
  apps,
  automations,
  behavior,
  capabilities,
  changes,
  chat,
  connect,
  logs,
  setup,
  shared,
  skills,
};

type Catalogues = typeof catalogues;
type English = {
  [V in keyof Catalogues as `${V}.${keyof Catalogues[V]["en"] & string}`]: never;
};
/** Every key, as `<view>.<name>`. */
export type Key = keyof English;

type PhraseOf<K extends string> = K extends `${infer V extends keyof Catalogues & string}.${infer N}`
  ? N extends keyof Catalogues[V]["en"]
    ? Catalogues[V]["en"][N]
    : never
  : never;

/** The values that a key needs; none for a phrase without placeholders. */
export type Values<K extends string, T> = [Names<PhraseOf<K>>] extends [never]
  ? []
  : [values: { [N in Names<PhraseOf<K>>]: T }];

export function t<K extends Key>(key: K, ...[values]: Values<K, string | number>): string {
  return phraseOf(key, values as PhraseValues).replace(PLACEHOLDER, (whole, name: string) => {
    const value = (values as PhraseValues)?.[name];
    return value === undefined ? whole : typeof value === "number" ? number(value) : String(value);
  });
}

export type PhraseValues = Record<string, unknown> | undefined;
export const PLACEHOLDER = /\{(\w+)\}/g;

/** The phrase of a key in the current language and the right number form, with its placeholders. */
export function phraseOf(key: Key, values: PhraseValues): string {
  const dot = key.indexOf(".");
  const catalogue = catalogues[key.slice(0, dot) as keyof Catalogues];
  const found = (catalogue[language.value] as Record<string, Phrase>)[key.slice(dot + 1)] ?? key;
  if (typeof found === "string") return found;
  return plurals().select(Number(values?.["n"])) === "one" ? found.one : found.other;
}

export const locale = (): string => (language.value === "zh" ? "zh-CN" : "en");

/** Cached per language: creating an Intl object takes longer than a hundred uses. */
export function perLanguage<T>(make: (locale: string) => T): () => T {
  const cache = new Map<string, T>();
  return () => {
    const of = locale();
    const known = cache.get(of) ?? make(of);
    cache.set(of, known);
    return known;
  };
}

const plurals = perLanguage((of) => new Intl.PluralRules(of));
const numbers = perLanguage((of) => new Intl.NumberFormat(of));
const lists = perLanguage((of) => new Intl.ListFormat(of, { type: "conjunction" }));

export const number = (value: number): string => numbers().format(value);

const money = perLanguage((of) => new Intl.NumberFormat(of, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" }));

export const dollars = (value: number): string => money().format(value);

const dates = (form: Intl.DateTimeFormatOptions) => perLanguage((of) => new Intl.DateTimeFormat(of, form));
const time = dates({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const weekday = dates({ weekday: "short" });
const day = dates({ day: "numeric", month: "short" });
const dayAndYear = dates({ day: "numeric", month: "short", year: "numeric" });
const everything = dates({ dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });

/** A moment relative to today: time, weekday, day, or day with year. */
export function moment(at: number, now: number): string {
  const days = Math.round((dayOf(now) - dayOf(at)) / 86_400_000);
  if (days === 0) return time().format(at);
  if (days > 0 && days < 7) return weekday().format(at);
  return (new Date(at).getFullYear() === new Date(now).getFullYear() ? day() : dayAndYear()).format(at);
}

/** The complete date and time, for titles and tables. */
export const fullMoment = (at: number): string => everything().format(at);

const relative = perLanguage((of) => new Intl.RelativeTimeFormat(of, { style: "short", numeric: "auto" }));

/** A relative time: "2 min. ago", "in 3 hr.". */
export function ago(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  const [size, unit] = UNITS.find(([size]) => Math.abs(seconds) >= size) ?? [1, "second" as const];
  return relative().format(Math.trunc(seconds / size), unit);
}

/** A list of names: "Mira, Researcher and Ada". */
export const listed = (names: readonly string[]): string => lists().format(names);

const UNITS: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
];

function dayOf(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
