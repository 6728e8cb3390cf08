// Shows the toast of state/toast.ts. It stays while hovered or focused; Ctrl Z undoes.
import { useLayoutEffect } from "preact/hooks";
import { dismissToast, holdToast, releaseToast, toast, undoToast } from "../state/toast";
import { t } from "../words";
import { Button } from "./Button";
import { isTyping } from "./keys";

export function Toasts() {
  // Ctrl Z works from the first render.
  useLayoutEffect(() => {
    const undo = (event: KeyboardEvent) => {
      if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || isTyping(event.target)) return;
      if (undoToast()) event.preventDefault();
    };
    document.addEventListener("keydown", undo);
    return () => document.removeEventListener("keydown", undo);
  }, []);
  const current = toast.value;
  return (
    <div class="toasts" role="status">
      {current && (
        <div class="toast" onMouseEnter={holdToast} onMouseLeave={releaseToast} onFocusIn={holdToast} onFocusOut={releaseToast}>
          <span class="grow">
            {current.text}
            {current.detail && <small>{current.detail}</small>}
          </span>
          {current.undo && (
            <Button small icon="reset" onClick={undoToast}>
              {t("shared.undo")}
            </Button>
          )}
          <Button kind="quiet" small icon="x" label={t("shared.dismiss")} onClick={dismissToast} />
        </div>
      )}
    </div>
  );
}
