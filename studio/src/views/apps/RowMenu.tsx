// The other actions of an app, behind a button. Up and Down move through them, Esc closes.
import type { TargetedKeyboardEvent } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Icon } from "../../components";
import { rowAfter } from "../../components/keys";

export type MenuItem = { text: string; danger?: boolean; onChoose: () => void };

const ITEM = '[role="menuitem"]';

export function RowMenu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  // Read from the DOM: toggle events come later than a fast key press.
  const isShown = () => menu.current?.matches(":popover-open") ?? false;
  // The items stay the same while the menu is open, even if the row reloads.
  const offered = useRef(items);
  if (!isShown()) offered.current = items;
  // A click outside closes the menu before the click handler of its own button runs.
  const wasShown = useRef(false);

  const open = () => {
    const box = menu.current;
    const at = opener.current?.getBoundingClientRect();
    if (!box || !at) return;
    box.showPopover();
    // A popover, so that the table cannot clip it; it opens upwards if there is no room below.
    const room = window.innerHeight - at.bottom;
    const top = room < box.offsetHeight + 8 ? at.top - box.offsetHeight - 4 : at.bottom + 4;
    box.style.top = `${Math.max(8, top)}px`;
    box.style.left = `${Math.max(8, at.right - box.offsetWidth)}px`;
    box.querySelector<HTMLElement>(ITEM)?.focus();
  };

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>(ITEM)];
    const to = rowAfter(event.key, all.indexOf(document.activeElement as HTMLElement), all.length);
    if (event.key === "Tab") menu.current?.hidePopover();
    if (to === undefined) return;
    event.preventDefault();
    all[to]?.focus();
  };

  return (
    <>
      <button
        ref={opener}
        type="button"
        class="btn quiet icon sm"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onPointerDown={() => (wasShown.current = isShown())}
        onClick={(event) => ((event.detail > 0 ? wasShown.current : isShown()) ? menu.current?.hidePopover() : open())}
      >
        <Icon name="dots" />
      </button>
      <div
        ref={menu}
        id={id}
        class="row-menu"
        popover="auto"
        role="menu"
        aria-label={label}
        onToggle={(event) => setOpen(event.currentTarget.matches(":popover-open"))}
        onKeyDown={onKeyDown}
      >
        {offered.current.map((item) => (
          <button
            key={item.text}
            type="button"
            role="menuitem"
            tabIndex={-1}
            class={item.danger ? "danger" : ""}
            onClick={() => {
              menu.current?.hidePopover();
              opener.current?.focus();
              item.onChoose();
            }}
          >
            {item.text}
          </button>
        ))}
      </div>
    </>
  );
}
