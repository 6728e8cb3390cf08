// The danger zone: trusting a blocked skill and removing a skill, each only once its name is typed.
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { SkillRemoved } from "../../../generated/protocol";
import { Button, ErrorState, Icon } from "../../../components";
import { t } from "../../../words";
import { isRemovable } from "../../skills/sources";
import type { ActionState } from "../use-action";
import type { SectionProps } from "./Configure";
import { Remove } from "./Remove";
import { TrustBlocked, isTrustable } from "./TrustBlocked";

export function DangerZone({ onRemoved, ...section }: SectionProps & { onRemoved: (removed: SkillRemoved) => void }) {
  const { skill } = section.entry;
  const id = useId();
  const [canTrust, canRemove] = [isTrustable(skill), isRemovable(skill.source)];
  if (!canTrust && !canRemove) return null;
  return (
    <section class="dangerzone" aria-labelledby={id}>
      <h3 id={id}>
        <Icon name="warn" />
        <span>{t("setup.danger")}</span>
      </h3>
      <div class="stack">
        {canTrust && <TrustBlocked {...section} />}
        {canRemove && <Remove {...section} onRemoved={onRemoved} />}
      </div>
    </section>
  );
}

type TypedNameProps = { name: string; label: ComponentChildren; act: ActionState; button: string; onConfirm: (typed: string) => void; children: ComponentChildren };

/** A form whose button works once the name is typed. */
export function TypedName({ name, label, act, button, onConfirm, children }: TypedNameProps) {
  const [typed, type] = useState("");
  const id = useId();
  const isNamed = typed.trim() === name;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isNamed) onConfirm(typed.trim());
      }}
    >
      {children}
      <div class="line">
        <div class="field">
          <label for={id}>{label}</label>
          <input
            id={id}
            class="input mono"
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={(event) => type(event.currentTarget.value)}
          />
        </div>
        <Button type="submit" kind="danger" busy={act.busy} disabled={!isNamed}>
          {button}
        </Button>
      </div>
      {act.error && <ErrorState error={act.error} />}
    </form>
  );
}
