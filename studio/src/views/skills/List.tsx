// The list of an agent's skills: search and filters that survive a reload, then the rows.
import { useCallback, useMemo } from "preact/hooks";
import type { SkillStatus } from "../../generated/protocol";
import { Filters, Search, VirtualList } from "../../components";
import { language } from "../../state/preferences";
import { isAllowed, readinessOf } from "../../state/readiness";
import { rememberedText } from "../../state/remember";
import type { AccessChanges } from "../../state/skills/changes";
import { countsOf, matchesSearch } from "../../state/skills/search";
import { t } from "../../words";
import { NoMatch } from "./NoMatch";
import { ReadinessFilter, readinessChoice } from "./ReadinessFilter";
import { Row } from "./Row";
import { sourceWord } from "./sources";

const search = rememberedText("skills.search");
const access = rememberedText("skills.access", "all");
const ready = rememberedText("skills.readiness", "any");

type AccessChoice = "all" | "allowed" | "not-allowed";
const accessChoice = (stored: string): AccessChoice => (stored === "allowed" || stored === "not-allowed" ? stored : "all");

type ListProps = {
  name: string;
  skills: readonly SkillStatus[];
  shadows: ReadonlyMap<string, string[]>;
  changes: AccessChanges;
  /** The key of the linked skill. */
  target: string | undefined;
  onSwitch: (skill: SkillStatus, isOn: boolean) => void;
  onSetup: (skill: SkillStatus) => void;
};

export function List({ name, skills, shadows, changes, target, onSwitch, onSetup }: ListProps) {
  const query = search.value;
  const [byAccess, byReadiness] = [accessChoice(access.value), readinessChoice(ready.value)];
  const counts = useMemo(() => ({ allowed: skills.filter(isAllowed).length, ...countsOf(skills, readinessOf) }), [skills]);
  const found = useMemo(() => skills.filter((skill) => matchesSearch(skill, query, sourceWord(skill.source))), [skills, query, language.value]);
  const visible = useMemo(
    () =>
      found.filter(
        (skill) =>
          (byAccess === "all" || isAllowed(skill) === (byAccess === "allowed")) && (byReadiness === "any" || readinessOf(skill) === byReadiness),
      ),
    [found, byAccess, byReadiness],
  );
  const showAll = () => {
    access.value = "all";
    ready.value = "any";
  };
  // Stable functions: rows that a search leaves in place do not render again.
  const rowClass = useCallback(
    (skill: SkillStatus) =>
      ["row", !isAllowed(skill) && "is-off", changes.failed.value.has(skill.name) && "has-error", skill.skillKey === target && "is-target"]
        .filter(Boolean)
        .join(" "),
    [changes, target],
  );
  const draw = useCallback(
    (skill: SkillStatus) => (
      <Row
        skill={skill}
        name={name}
        shadows={shadows.get(skill.name) ?? []}
        busy={changes.busy.value.has(skill.name)}
        failed={changes.failed.value.get(skill.name)}
        onSwitch={(isOn) => onSwitch(skill, isOn)}
        onDismiss={() => changes.dismiss(skill.name)}
        onSetup={() => onSetup(skill)}
      />
    ),
    [name, shadows, changes, onSwitch, onSetup],
  );
  return (
    <>
      <div class="tools">
        <div class="tools-row">
          <Search label={t("skills.search")} placeholder={t("skills.searchShort")} value={query} onInput={(text) => (search.value = text)} />
          <Filters
            label={t("skills.byAccess")}
            value={byAccess}
            onChange={(value) => (access.value = value)}
            choices={[
              { value: "all", text: t("skills.all"), count: skills.length },
              { value: "allowed", text: t("skills.allowed"), count: counts.allowed },
              { value: "not-allowed", text: t("skills.notAllowed"), count: skills.length - counts.allowed },
            ]}
          />
          <span class="result num" role="status">
            {t("skills.count", { n: visible.length })}
          </span>
        </div>
        <ReadinessFilter value={byReadiness} counts={counts} all={skills.length} onChange={(value) => (ready.value = value)} />
      </div>
      {visible.length === 0 ? (
        <NoMatch query={query} all={skills.length} hidden={found.length} onAll={showAll} onClear={() => (search.value = "")} />
      ) : (
        <section class="rows rows-skill" aria-labelledby="skills-list">
          <h2 class="sr" id="skills-list">
            {t("skills.listOf", { name })}
          </h2>
          <div class="rows-head" aria-hidden="true">
            <span>{t("skills.allowed")}</span>
            <span>{t("skills.headSkill")}</span>
            <span class="c-src">{t("skills.headSource")}</span>
            <span>{t("skills.headReadiness")}</span>
          </div>
          <VirtualList
            items={visible}
            keyOf={(skill) => skill.filePath}
            estimate={64}
            label={t("skills.listOf", { name })}
            target={visible.find((skill) => skill.skillKey === target)?.filePath}
            rowClass={rowClass}
          >
            {draw}
          </VirtualList>
        </section>
      )}
    </>
  );
}
