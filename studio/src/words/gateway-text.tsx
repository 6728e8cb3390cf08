// English texts of the gateway, in the language of the page.
// On an English page they are shown as they are. On a Chinese page, a text with an id (a code, a rule, a tool) is shown in
// Chinese; the gateway's message, which names files and places, follows and is marked as English.
import type { ComponentChildren } from "preact";
import { language } from "../state/preferences";
import { errors } from "./gateway/errors";
import { withCode } from "./rich";

/** The part of a failed call that its text needs. */
export type CallFailure = { message: string; code?: string | undefined; reason?: string | undefined };

/** Why a call failed. `as` turns the gateway's message into a sentence where it stands among sentences. */
export function callErrorText(error: CallFailure, as: (words: string) => string = (words) => words): ComponentChildren {
  const chinese = chineseFor(errors, error.reason) ?? chineseFor(errors, error.code);
  return withChinese(chinese, isPageError(error) && chinese ? "" : as(error.message));
}

/** A Chinese text with the gateway's message as details; without one, the message alone. */
export function withChinese(chinese: string | undefined, english: string): ComponentChildren {
  if (chinese === undefined) return gatewayText(english);
  return (
    <>
      {withCode(chinese)}
      {english && (
        <>
          详情：
          {gatewayText(english)}
        </>
      )}
    </>
  );
}

/** A text of the gateway, marked as English on a Chinese page. */
export function gatewayText(english: string): ComponentChildren {
  const content = withCode(english);
  return language.value === "en" ? content : <span lang="en">{content}</span>;
}

/** The Chinese text of an id; undefined on an English page, or for an id of a newer gateway. */
export function chineseFor<W>(words: Readonly<Record<string, W>>, id: string | undefined): W | undefined {
  return language.value === "zh" && id !== undefined && Object.hasOwn(words, id) ? words[id] : undefined;
}

/** The Chinese text of a typed value, which an older gateway does not send. */
export function chineseForValue<V>(value: V | undefined, words: (value: V) => string): string | undefined {
  return language.value === "zh" && value !== undefined ? words(value) : undefined;
}

/** Adds a full stop if there is no end mark. */
export const withFullStop = (words: string): string => (words === "" || /[.!?。！？…]$/.test(words) ? words : `${words}.`);

/** A message as a sentence: the gateway's messages start in lower case and have no full stop. */
export const asSentence = (words: string): string => withFullStop(`${words.charAt(0).toUpperCase()}${words.slice(1)}`);

/** Errors of the page itself already have a Chinese text. */
const isPageError = ({ code }: CallFailure): boolean => code === "DISCONNECTED" || code === "TIMEOUT";
