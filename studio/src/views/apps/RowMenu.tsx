// The other things that can be done with an app, behind a button. Up and Down go through them, Esc closes.
import type { TargetedKeyboardEvent } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Icon } from "../../parts";
import { rowAfter } from "../../parts/keys";

export type MenuItem = { text: string; danger?: boolean; onChoose: () => void };

const ITEM = '[role="menuitem"]';

export function RowMenu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  // Asked of the page itself: that it opened or closed is told later, and a fast hand is there before.
  const isShown = () => menu.current?.matches(":popover-open") ?? false;
  // What it offers stays while it is open: nothing moves under the hand when the row is read again.
  const offered = useRef(items);
  if (!isShown()) offered.current = items;
  // A click beside the menu closes it, also one on its own button: what it is for was decided before.
  const wasShown = useRef(false);

  const open = () => {
    const box = menu.current;
    const at = opener.current?.getBoundingClientRect();
    if (!box || !at) return;
    box.showPopover();
    // It lies above everything, so that the table cannot cut it off; it opens upwards where there is no room below.
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
