// The name column of a skill in both lists: icon, name, capabilities, description; and its source.
import type { Capability, SkillStatus } from "../../generated/protocol";
import { Icon } from "../../components";
import { language } from "../../state/preferences";
import { t } from "../../words";
import { capabilityTip } from "./capabilities";
import { sourceWord } from "./sources";

export function SkillName({ skill, id }: { skill: SkillStatus; id?: string }) {
  return (
    <div class="c-skill">
      <div class="name">
        <span class="emoji" aria-hidden="true">
          {skill.emoji ?? "🧩"}
        </span>
        <h3 class="cut" id={id} title={skill.name} lang={langOf(skill.name)}>
          {skill.name}
        </h3>
        <Capabilities of={capabilitiesOf(skill)} />
      </div>
      <p class="desc cut" title={skill.description} lang={langOf(skill.description)}>
        {skill.description}
      </p>
    </div>
  );
}

/** Declared, used and granted capabilities. */
export const capabilitiesOf = ({ capabilities }: SkillStatus): Capability[] => [
  ...new Set([...(capabilities?.declared ?? []), ...(capabilities?.used ?? []), ...(capabilities?.granted ?? [])]),
];

function Capabilities({ of }: { of: readonly Capability[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="caps" aria-label={t("skills.capabilities")}>
      {of.map((capability) => (
        <li key={capability} class="cap">
          <Icon name={capability} size="s" />
          <span class="sr">{capabilityTip(capability)}</span>
          <span class="tip" aria-hidden="true">
            {capabilityTip(capability)}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function SkillSource({ skill, shadows }: { skill: SkillStatus; shadows: readonly string[] }) {
  return (
    <div class="c-src">
      <p class="src">{sourceWord(skill.source)}</p>
      {shadows.map((source) => (
        <span key={source} class="shadow" title={t("skills.shadowsWhy")}>
          <Icon name="shadow" size="s" />
          {t("skills.shadows", { source: sourceWord(source) })}
        </span>
      ))}
    </div>
  );
}

/** The language of a text, if it differs from the page's. */
export function langOf(text: string): string | undefined {
  const is = /\p{Script=Hiragana}|\p{Script=Katakana}/u.test(text) ? "ja" : /\p{Script=Han}/u.test(text) ? "zh" : "en";
  return is === language.value ? undefined : is;
}
