// The head of the view: how many skills are usable now, and the access mode.
import type { ComponentChildren } from "preact";
import type { SkillStatus } from "../../generated/protocol";
import { Button, Icon, Segmented } from "../../components";
import { isAllowed, isUsable, readinessOf } from "../../state/readiness";
import type { AgentSkills, AccessMode } from "../../state/skills/access";
import type { FailedChange } from "../../state/skills/changes";
import { isAnswering } from "../../state/skills/turns";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { saveErrorText } from "./save-error";

type HeaderProps = {
  agentId: string;
  name: string;
  skills: readonly SkillStatus[];
  /** Undefined while the configuration loads. */
  access: AgentSkills | undefined;
  /** "Selected" is chosen and nothing is on yet. */
  isPicking: boolean;
  busy: boolean;
  failed: FailedChange | undefined;
  onMode: (mode: AccessMode) => void;
  onDismiss: () => void;
};

export function Header(props: HeaderProps) {
  const { skills, name, access, isPicking, busy, failed } = props;
  const allowed = skills.filter(isAllowed).length;
  const ready = skills.filter((skill) => readinessOf(skill) === "ready").length;
  const usable = skills.filter(isUsable).length;
  const mode = isPicking ? "selected" : access?.mode;
  return (
    <section class="usable" aria-labelledby="usable">
      <div>
        <h1 id="usable" class="num">
          <span class="sr">{t("skills.title")}. </span>
          {t("skills.usable", { ready: usable, all: skills.length })}
        </h1>
        <div class="meter" role="img" aria-label={t("skills.meter", { usable, waiting: allowed - usable, off: skills.length - allowed })}>
          <svg viewBox={`0 0 ${Math.max(1, skills.length)} 1`} preserveAspectRatio="none" aria-hidden="true">
            <rect class="a" width={usable} height="1" />
            <rect class="b" x={usable} width={allowed - usable} height="1" />
          </svg>
        </div>
        <p class="sums num">{t("skills.sums", { allowed, name, ready, both: usable })}</p>
      </div>
      {mode && (
        <fieldset class="access" aria-busy={busy ? "true" : undefined}>
          <legend class="label">{t("skills.mayUse", { name })}</legend>
          <Segmented
            label={t("skills.mayUse", { name })}
            value={mode}
            narrow="select"
            disabled={busy}
            onChange={props.onMode}
            choices={[
              { value: "all", text: t("skills.modeAll"), disabled: access?.hasCommonList ?? false },
              { value: "selected", text: t("skills.modeSelected") },
              { value: "none", text: t("skills.modeNone") },
            ]}
          />
          <p>{isPicking ? t("skills.meansPicking", { name }) : meaning(mode, allowed)}</p>
          {access?.hasCommonList && <p>{rich("skills.meansCommon")}</p>}
          {isAnswering(props.agentId) && (
            <p class="turn" role="status">
              <Icon name="info" size="s" />
              {t("shared.runningTurn")}
            </p>
          )}
          {busy && (
            <p role="status" class="prog">
              <span class="spin" aria-hidden="true" />
              {t("shared.saving")}
            </p>
          )}
          {failed && (
            <ModeError failed={failed} onDismiss={props.onDismiss}>
              {t("skills.stillMode", { name, mode: modeName(access?.mode ?? mode) })}
            </ModeError>
          )}
        </fieldset>
      )}
    </section>
  );
}

function ModeError({ failed, onDismiss, children }: { failed: FailedChange; onDismiss: () => void; children: ComponentChildren }) {
  return (
    <div class="banner bad" role="alert">
      <Icon name="warn" />
      <p class="grow">{rich("skills.notSaved", { why: saveErrorText(failed.error), still: children })}</p>
      <Button small onClick={failed.again}>
        {t("shared.tryAgain")}
      </Button>
      <Button kind="quiet" small onClick={onDismiss}>
        {t("shared.dismiss")}
      </Button>
    </div>
  );
}

export function modeName(mode: AccessMode): string {
  return mode === "all" ? t("skills.shortAll") : mode === "selected" ? t("skills.modeSelected") : t("skills.modeNone");
}

function meaning(mode: AccessMode, allowed: number): string {
  if (mode === "all") return t("skills.meansAll");
  return mode === "none" ? t("skills.meansNone") : t("skills.meansSelected", { n: allowed });
}
