// What the gateway says in English, told in the language of the page.
// Promises: on an English page its words stand as they are. On a Chinese page what has an identity (a code, a rule, a
// tool) is told in Chinese, and the gateway's own sentence, which names files and places, follows marked as English.
import type { ComponentChildren } from "preact";
import { language } from "../state/preferences";
import { errors } from "./gateway/errors";
import { withCode } from "./rich";

/** As much of a failed call as its words need. */
export type Failed = { message: string; code?: string | undefined; reason?: string | undefined };

/** Why a call failed. `as` makes a sentence of the gateway's words, where they stand among sentences. */
export function told(error: Failed, as: (words: string) => string = (words) => words): ComponentChildren {
  const chinese = chineseFor(errors, error.reason) ?? chineseFor(errors, error.code);
  return toldAs(chinese, isOurs(error) && chinese ? "" : as(error.message));
}

/** Chinese words for what the gateway says, with its own sentence as the detail; without such words, that alone. */
export function toldAs(chinese: string | undefined, english: string): ComponentChildren {
  if (chinese === undefined) return said(english);
  return (
    <>
      {withCode(chinese)}
      {english && (
        <>
          详情：
          {said(english)}
        </>
      )}
    </>
  );
}

/** A text of the gateway as it is. */
export function said(english: string): ComponentChildren {
  const shown = withCode(english);
  return language.value === "en" ? shown : <span lang="en">{shown}</span>;
}

/** The Chinese words of an id; none on an English page, or for an id that only a newer gateway knows. */
export function chineseFor<W>(words: Readonly<Record<string, W>>, id: string | undefined): W | undefined {
  return language.value === "zh" && id !== undefined && Object.hasOwn(words, id) ? words[id] : undefined;
}

/** The same of something with values, of which an older gateway tells only a sentence. */
export function chineseOf<V>(value: V | undefined, words: (value: V) => string): string | undefined {
  return language.value === "zh" && value !== undefined ? words(value) : undefined;
}

/** With a full stop, unless it ends a sentence. */
export const ended = (words: string): string => (words === "" || /[.!?。！？…]$/.test(words) ? words : `${words}.`);

/** The gateway's words stand inside of sentences of the terminal; on the page they are sentences of their own. */
export const sentence = (words: string): string => ended(`${words.charAt(0).toUpperCase()}${words.slice(1)}`);

/** An error of the page: what it says is said in Chinese already. */
const isOurs = ({ code }: Failed): boolean => code === "DISCONNECTED" || code === "TIMEOUT";
