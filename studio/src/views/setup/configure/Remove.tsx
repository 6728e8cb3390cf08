// The danger zone: moves an installed or workspace skill to the trash, once its name is typed.
import { useId, useState } from "preact/hooks";
import { call } from "../../../gateway/calls";
import type { SkillRemoved } from "../../../generated/protocol";
import { Button, ErrorState, Icon } from "../../../components";
import { t } from "../../../words";
import { rich } from "../../../words/rich";
import { isRemovable } from "../../skills/sources";
import { useAction } from "../use-action";
import type { SectionProps } from "./Configure";

export function Remove({ entry, onRemoved }: SectionProps & { onRemoved: (removed: SkillRemoved) => void }) {
  const { skill, agentId } = entry;
  const [typed, type] = useState("");
  const id = useId();
  const act = useAction();
  if (!isRemovable(skill.source)) return null;
  const isNamed = typed.trim() === skill.name;

  const remove = () =>
    act.run(async () => onRemoved(await call("skills.remove", { agentId, skillKey: skill.skillKey })));
  return (
    <section class="dangerzone" aria-labelledby={`${id}t`}>
      <h3 id={`${id}t`}>
        <Icon name="trash" />
        <span>{t("setup.danger")}</span>
      </h3>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isNamed) void remove();
        }}
      >
        <p>{rich("setup.removeWhat", { path: skill.baseDir })}</p>
        <div class="line">
          <div class="field">
            <label for={id}>{rich("setup.typeName", { name: skill.name })}</label>
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
            {t("setup.remove")}
          </Button>
        </div>
        {act.error && <ErrorState error={act.error} />}
      </form>
    </section>
  );
}
