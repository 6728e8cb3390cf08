// One skill of the agent: access on the left, readiness on the right. A failed change is reported in its row.
import { useId } from "preact/hooks";
import type { SkillStatus } from "../../generated/protocol";
import { Button, Icon, ReadinessChip, Switch } from "../../components";
import { isAllowed, readinessWithReasons } from "../../state/readiness";
import type { FailedChange } from "../../state/skills/changes";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { SkillName, SkillSource } from "./SkillName";
import { Why } from "./Why";
import { saveErrorText } from "./save-error";

type RowProps = {
  skill: SkillStatus;
  name: string;
  shadows: readonly string[];
  busy: boolean;
  failed: FailedChange | undefined;
  onSwitch: (isOn: boolean) => void;
  onDismiss: () => void;
  onSetup: () => void;
};

export function Row({ skill, name, shadows, busy, failed, onSwitch, onDismiss, onSetup }: RowProps) {
  const skillReadiness = readinessWithReasons(skill);
  const id = useId();
  return (
    <>
      <div class="c-switch">
        <Switch checked={isAllowed(skill)} label={t("skills.switchOf", { name: skill.name })} busy={busy} onChange={onSwitch} />
      </div>
      <SkillName skill={skill} id={id} />
      <SkillSource skill={skill} shadows={shadows} />
      <div class="state">
        <div class="state-top">
          <ReadinessChip readiness={skillReadiness.readiness} />
          {skillReadiness.readiness !== "ready" && (
            <button type="button" class="btn link" aria-describedby={id} data-row-control="setup" onClick={onSetup}>
              {t("skills.openSetup")}
            </button>
          )}
        </div>
        {busy ? (
          <p class="why" role="status">
            {t("shared.saving")}
          </p>
        ) : (
          <Why skill={skill} readiness={skillReadiness} />
        )}
      </div>
      {failed && (
        <div class="row-error" role="alert">
          <Icon name="warn" />
          <span class="grow">
            {rich("skills.notSaved", {
              why: saveErrorText(failed.error),
              still: isAllowed(skill) ? t("skills.stillMay", { name, skill: skill.name }) : t("skills.stillMayNot", { name, skill: skill.name }),
            })}
          </span>
          <Button small onClick={failed.again}>
            {t("shared.tryAgain")}
          </Button>
          <Button kind="quiet" small onClick={onDismiss}>
            {t("shared.dismiss")}
          </Button>
        </div>
      )}
    </>
  );
}
