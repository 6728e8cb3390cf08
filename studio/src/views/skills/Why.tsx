// What a list says below the chip of a skill: the first reason, and the lasting mark of accepted findings.
import type { SkillStatus } from "../../generated/protocol";
import { Icon } from "../../components";
import type { SkillReadiness } from "../../state/readiness";
import { t } from "../../words";
import { FirstReason } from "./Reason";

export function Why({ skill, readiness }: { skill: SkillStatus; readiness: SkillReadiness }) {
  const hasReason = readiness.reasons.length > 0;
  if (!hasReason && !skill.acceptedFindings) return null;
  return (
    <p class="why">
      {hasReason && <FirstReason readiness={readiness} />} <AcceptedMark skill={skill} />
    </p>
  );
}

/** Critical findings that the owner accepted. Never hidden, whatever the state is. */
export function AcceptedMark({ skill }: { skill: SkillStatus }) {
  const accepted = skill.acceptedFindings;
  return (
    accepted && (
      <span class="accepted">
        <Icon name="warn" size="s" />
        {t("skills.acceptedFindings", { n: accepted.critical })}
      </span>
    )
  );
}
