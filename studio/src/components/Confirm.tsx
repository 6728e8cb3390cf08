// A confirmation: says what happens, and the button names the action. Never "Are you sure?".
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { t } from "../words";
import { Button } from "./Button";
import { useModal } from "./Dialog";
import { Icon, type IconName } from "./Icon";

type ConfirmProps = {
  scope: "agent" | "gateway";
  title: string;
  /** What happens, one line each. */
  effects: readonly { icon: IconName; text: ComponentChildren }[];
  /** The action, as in "Turn off weather". */
  yes: string;
  no?: string;
  danger?: boolean;
  busy?: boolean;
  onYes: () => void;
  onNo: () => void;
  children?: ComponentChildren;
};

export function Confirm({ scope, title, effects, yes, no, danger, busy, onYes, onNo, children }: ConfirmProps) {
  const id = useId();
  const ref = useModal(onNo);
  return (
    <dialog ref={ref} class="askbox" role="alertdialog" data-scope={scope} aria-labelledby={`${id}t`} aria-describedby={`${id}d`}>
      <h2 id={`${id}t`}>{title}</h2>
      <ul id={`${id}d`}>
        {effects.map((effect, index) => (
          <li key={index}>
            <Icon name={effect.icon} />
            <span>{effect.text}</span>
          </li>
        ))}
      </ul>
      {children}
      <div class="btns">
        <Button kind={danger ? "danger" : "primary"} busy={busy ?? false} onClick={onYes}>
          {yes}
        </Button>
        <Button onClick={onNo}>{no ?? t("shared.cancel")}</Button>
      </div>
    </dialog>
  );
}
