// The requirements of a skill, met or not. The first unmet one gets focus when the dialog opens.
import type { ComponentChildren } from "preact";
import type { SkillStatus } from "../../../generated/protocol";
import { Icon } from "../../../components";
import { type Requirement, requirementsOf } from "../../../state/skills/requirements";
import { t } from "../../../words";
import { rich } from "../../../words/rich";
import { codes, systemNames } from "../../skills/Reason";
import { Section } from "./Section";

export function Requirements({ skill }: { skill: SkillStatus }) {
  const all = requirementsOf(skill);
  const met = all.filter(({ isMet }) => isMet).length;
  const firstUnmet = all.findIndex(({ isMet }) => !isMet);
  return (
    <Section icon="list" title={t("setup.requirements")} small={all.length > 0 ? t("setup.metOf", { met, all: all.length }) : undefined}>
      {all.length === 0 ? (
        <p class="muted">{t("setup.needsNothing")}</p>
      ) : (
        <ul class="reqs">
          {all.map((one, index) => (
            // Focusable, so that the dialog can start where something needs to be done.
            <li key={index} {...(index === firstUnmet && { tabIndex: -1, "data-first": "" })}>
              <Icon name={one.isMet ? "ok" : "wrench"} class={one.isMet ? "met" : "unmet"} />
              <span class="muted">{kindOf(one)}</span>
              <span class="wraps">{whatOf(one)}</span>
              <span class={one.isMet ? "met" : "unmet"}>{one.isMet ? t("setup.met") : unmet(one)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function kindOf({ kind }: Requirement): string {
  return kind === "one-program" ? t("setup.oneProgram") : t(`setup.${kind}`);
}

function whatOf(one: Requirement): ComponentChildren {
  switch (one.kind) {
    case "system":
      return systemNames(one.systems);
    case "one-program":
    case "tool":
      return codes(one.names);
    case "setting":
      return (
        <>
          <code>{one.path}</code>
          {!one.isMet && <small class="hint"> {rich("setup.settingNext", { path: one.path })}</small>}
        </>
      );
    default:
      return <code>{one.name}</code>;
  }
}

function unmet(one: Requirement): ComponentChildren {
  const { kind } = one;
  if (kind === "tool") return one.keys.length > 0 ? rich("setup.deniedBy", { keys: codes(one.keys) }) : t("setup.notInThisVersion");
  if (kind === "system") return t("setup.notHere");
  return kind === "key" || kind === "setting" ? t("setup.notSet") : t("setup.notInstalled");
}
