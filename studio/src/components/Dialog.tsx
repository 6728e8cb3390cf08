// A dialog: band, title, content, footer. Full screen below 720 px.
// Focus moves in, stays in, and returns to where it was; Esc closes.
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../words";
import { Button } from "./Button";
import { DialogBand } from "./ScopeBand";

type DialogProps = {
  /** Which agents it affects: all (plum, with the band), or one (blue). */
  scope: "agent" | "gateway";
  title: ComponentChildren;
  /** One line under the title. */
  lead?: ComponentChildren;
  emoji?: string | undefined;
  /** The sentence of the band; only for `gateway`. */
  band?: ComponentChildren;
  narrow?: boolean;
  /** Left: when changes are saved. Right: buttons. */
  footer?: ComponentChildren;
  onClose: () => void;
  /** The accessible name of the content. */
  label: string;
  children: ComponentChildren;
};

/** `data-first` marks the element that gets focus first, such as the first unmet requirement. */
export function Dialog({ scope, title, lead, emoji, band, narrow, footer, onClose, label, children }: DialogProps) {
  const id = useId();
  const ref = useModal(onClose);
  return (
    <dialog
      ref={ref}
      class={narrow ? "dialog narrow" : "dialog"}
      data-scope={scope}
      aria-labelledby={`${id}t`}
      aria-describedby={scope === "gateway" ? `${id}b` : undefined}
    >
      {scope === "gateway" && <DialogBand id={`${id}b`}>{band}</DialogBand>}
      <header>
        {emoji && (
          <span class="emoji" aria-hidden="true">
            {emoji}
          </span>
        )}
        <div class="grow">
          <h2 id={`${id}t`}>{title}</h2>
          {lead && <p>{lead}</p>}
        </div>
        <Button kind="quiet" icon="x" label={t("shared.close")} onClick={onClose} />
      </header>
      <div class="content" tabIndex={0} role="group" aria-label={label}>
        {children}
      </div>
      {footer && <footer>{footer}</footer>}
    </dialog>
  );
}

/** Opens a `<dialog>` as modal while the component is mounted. */
export function useModal(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  // Before the first paint: the next key press belongs to the dialog, not to the page behind it.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    const opener = document.activeElement;
    dialog.showModal();
    dialog.querySelector<HTMLElement>("[data-first]")?.focus();
    const cancel = (event: Event) => {
      event.preventDefault();
      close.current();
    };
    dialog.addEventListener("cancel", cancel);
    return () => {
      dialog.removeEventListener("cancel", cancel);
      dialog.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return ref;
}
