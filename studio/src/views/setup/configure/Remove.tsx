// Moves an installed or workspace skill to the trash, once its name is typed.
import { call } from "../../../gateway/calls";
import type { SkillRemoved } from "../../../generated/protocol";
import { t } from "../../../words";
import { rich } from "../../../words/rich";
import { useAction } from "../use-action";
import type { SectionProps } from "./Configure";
import { TypedName } from "./DangerZone";

export function Remove({ entry, onRemoved }: SectionProps & { onRemoved: (removed: SkillRemoved) => void }) {
  const { skill, agentId } = entry;
  const act = useAction();
  const remove = () =>
    act.run(async () => onRemoved(await call("skills.remove", { agentId, skillKey: skill.skillKey })));
  return (
    <TypedName
      name={skill.name}
      label={rich("setup.typeName", { name: skill.name })}
      act={act}
      button={t("setup.remove")}
      onConfirm={() => void remove()}
    >
      <p>{rich("setup.removeWhat", { path: skill.baseDir })}</p>
    </TypedName>
  );
}
