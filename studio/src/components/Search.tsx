// The search field of a view. "/" focuses it from anywhere; Esc clears it, then leaves it.
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../words";
import { Icon } from "./Icon";
import { isTyping } from "./keys";

type SearchProps = { label: string; placeholder?: string; value: string; onInput: (value: string) => void };

export function Search({ label, placeholder, value, onInput }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  // A layout effect: one after the paint would miss a fast key press.
  useLayoutEffect(() => {
    const jump = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener("keydown", jump);
    return () => document.removeEventListener("keydown", jump);
  }, []);
  return (
    <div class="search" role="search">
      <Icon name="search" />
      <input
        ref={field}
        class="input"
        type="text"
        enterkeyhint="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder ?? label}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          if (value) onInput("");
          else field.current?.blur();
        }}
      />
      {value ? (
        <button type="button" class="btn quiet icon sm clear" aria-label={t("shared.clearSearch")} onClick={() => { onInput(""); field.current?.focus(); }}>
          <Icon name="x" size="s" />
        </button>
      ) : (
        <kbd aria-hidden="true">/</kbd>
      )}
    </div>
  );
}
