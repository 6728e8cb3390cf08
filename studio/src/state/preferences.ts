// Preferences of this browser: theme and language.
import { effect } from "@preact/signals";
import { isOneOf, remembered } from "./remember";

export type Theme = "system" | "light" | "dark";
export type Language = "en" | "zh";

export const theme = remembered<Theme>("theme", "system", isOneOf("system", "light", "dark"));
export const language = remembered<Language>("language", browserLanguage(), isOneOf("en", "zh"));

export const nextTheme = (now: Theme): Theme => (now === "system" ? "light" : now === "light" ? "dark" : "system");

/** Applies them to the page, now and on every change. */
export function applyPreferences(root: HTMLElement): void {
  effect(() => {
    root.lang = language.value;
    if (theme.value === "system") delete root.dataset["theme"];
    else root.dataset["theme"] = theme.value;
  });
}

function browserLanguage(): Language {
  return globalThis.navigator?.language?.toLowerCase().startsWith("zh") ? "zh" : "en";
}
