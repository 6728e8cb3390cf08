// Removed skills, with a restore button.
import { call } from "../../gateway/calls";
import { Button, ErrorState, Icon, Time } from "../../components";
import type { SkillTrash, TrashedSkill } from "../../generated/protocol";
import type { Resource } from "../../state/resource";
import { showToast } from "../../state/toast";
import { t } from "../../words";
import { useAction } from "./use-action";

export function Trash({ trash }: { trash: Resource<SkillTrash> }) {
  const skills = trash.value.value?.skills ?? [];
  if (skills.length === 0) return null;
  return (
    <details class="card trash">
      <summary>
        <Icon name="trash" />
        <h2>{t("setup.trash", { n: skills.length })}</h2>
      </summary>
      <ul>
        {skills.map((skill) => (
          <TrashedRow key={skill.id} skill={skill} onDone={() => void trash.reload()} />
        ))}
      </ul>
    </details>
  );
}

function TrashedRow({ skill, onDone }: { skill: TrashedSkill; onDone: () => void }) {
  const act = useAction();
  const restore = () =>
    act.run(async () => {
      await call("skills.restore", { id: skill.id });
      showToast({ text: t("setup.restored", { name: skill.name }) });
      onDone();
    });
  const at = Date.parse(skill.removedAt);
  return (
    <li>
      <span class="grow">
        <b>{skill.name}</b> <code>{skill.path}</code>
        {!Number.isNaN(at) && (
          <small class="quiet">
            {t("setup.removedAt")} <Time at={at} relative />
          </small>
        )}
      </span>
      <Button small busy={act.busy} label={t("setup.restoreOf", { name: skill.name })} onClick={() => void restore()}>
        {t("setup.restore")}
      </Button>
      {act.error && <ErrorState error={act.error} />}
    </li>
  );
}
