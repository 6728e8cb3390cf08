// What a person chose for this browser: theme and language. What views remember is in remember.ts.
import { effect } from "@preact/signals";
import { isOneOf, remembered } from "./remember";

export type Theme = "system" | "light" | "dark";
export type Language = "en" | "zh";

export const theme = remembered<Theme>("theme", "system", isOneOf("system", "light", "dark"));
export const language = remembered<Language>("language", spoken(), isOneOf("en", "zh"));

export const nextTheme = (now: Theme): Theme => (now === "system" ? "light" : now === "light" ? "dark" : "system");

/** Shows them on the page from now on. */
export function applyPreferences(root: HTMLElement): void {
  effect(() => {
    root.lang = language.value;
    if (theme.value === "system") delete root.dataset["theme"];
    else root.dataset["theme"] = theme.value;
  });
}

function spoken(): Language {
  return globalThis.navigator?.language?.toLowerCase().startsWith("zh") ? "zh" : "en";
}
