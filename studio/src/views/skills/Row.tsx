// One skill of the agent: access on the left, readiness on the right, each under its own head. A failed change is told
// in the row, which stays.
import { useId } from "preact/hooks";
import type { SkillStatus } from "../../generated/protocol";
import { Button, Icon, ReadinessChip, Switch } from "../../parts";
import { isAllowed, readiness } from "../../state/readiness";
import type { Failed } from "../../state/skills/changes";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { FirstReason } from "./Reason";
import { SkillName, SkillSource } from "./SkillName";
import { whyNotSaved } from "./failed";

type RowProps = {
  skill: SkillStatus;
  name: string;
  shadows: readonly string[];
  busy: boolean;
  failed: Failed | undefined;
  onSwitch: (isOn: boolean) => void;
  onDismiss: () => void;
  onSetup: () => void;
};

export function Row({ skill, name, shadows, busy, failed, onSwitch, onDismiss, onSetup }: RowProps) {
  const standing = readiness(skill);
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
          <ReadinessChip readiness={standing.readiness} />
          {standing.readiness !== "ready" && (
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
          standing.reasons.length > 0 && (
            <p class="why">
              <FirstReason standing={standing} />
            </p>
          )
        )}
      </div>
      {failed && (
        <div class="row-error" role="alert">
          <Icon name="warn" />
          <span class="grow">
            {rich("skills.notSaved", {
              why: whyNotSaved(failed.error),
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
