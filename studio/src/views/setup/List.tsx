// Every skill of the gateway: where it comes from, who may use it, how it stands, and the way to configure it.
import { useCallback, useMemo } from "preact/hooks";
import type { AgentsList } from "../../generated/protocol";
import { Avatar, Link, ReadinessChip, Search, VirtualList } from "../../parts";
import { agentOf } from "../../state/agents";
import { language } from "../../state/preferences";
import { readiness, readinessOf } from "../../state/readiness";
import { rememberedText } from "../../state/remember";
import type { GatewaySkill } from "../../state/skills/every";
import { countsOf, fits } from "../../state/skills/search";
import { listed, t } from "../../words";
import { NoMatch } from "../skills/NoMatch";
import { ReadinessFilter, readinessChoice } from "../skills/ReadinessFilter";
import { FirstReason } from "../skills/Reason";
import { SkillName, SkillSource } from "../skills/SkillName";
import { sourceWord } from "../skills/sources";
import { nameOf } from "./Band";
import { toSkill } from "./links";

const search = rememberedText("setup.search");
const ready = rememberedText("setup.readiness", "any");

type ListProps = { skills: readonly GatewaySkill[]; list: AgentsList; target: GatewaySkill | undefined };

export function List({ skills, list, target }: ListProps) {
  const query = search.value;
  const byReadiness = readinessChoice(ready.value);
  const counts = useMemo(() => countsOf(skills, ({ skill }) => readinessOf(skill)), [skills]);
  const found = useMemo(() => skills.filter(({ skill }) => fits(skill, query, sourceWord(skill.source))), [skills, query, language.value]);
  const shown = useMemo(() => found.filter(({ skill }) => byReadiness === "any" || readinessOf(skill) === byReadiness), [found, byReadiness]);
  // The same functions for the same list: what a search leaves in place is not drawn again.
  const pointed = target?.skill.filePath;
  const rowClass = useCallback(({ skill }: GatewaySkill) => (skill.filePath === pointed ? "row is-target" : "row"), [pointed]);
  const draw = useCallback((entry: GatewaySkill) => <Row entry={entry} list={list} />, [list]);
  return (
    <>
      <div class="tools">
        <div class="tools-row">
          <h2>{t("setup.allSkills")}</h2>
          <Search label={t("skills.search")} placeholder={t("skills.searchShort")} value={query} onInput={(text) => (search.value = text)} />
          <span class="result num" role="status">
            {t("skills.count", { n: shown.length })}
          </span>
        </div>
        <ReadinessFilter
          value={byReadiness}
          counts={counts}
          all={skills.length}
          onChange={(value) => (ready.value = value)}
        />
      </div>
      {shown.length === 0 ? (
        <NoMatch query={query} all={skills.length} hidden={found.length} onAll={() => (ready.value = "any")} onClear={() => (search.value = "")} />
      ) : (
        <section class="rows rows-setup" aria-label={t("setup.listLabel")}>
          <div class="rows-head" aria-hidden="true">
            <span>{t("skills.headSkill")}</span>
            <span class="c-src">{t("skills.headSource")}</span>
            <span class="c-used">{t("setup.headUsed")}</span>
            <span>{t("setup.headReadiness")}</span>
            <span />
          </div>
          <VirtualList
            items={shown}
            keyOf={({ skill }) => skill.filePath}
            estimate={64}
            label={t("setup.listLabel")}
            target={pointed}
            rowClass={rowClass}
          >
            {draw}
          </VirtualList>
        </section>
      )}
    </>
  );
}

function Row({ entry, list }: { entry: GatewaySkill; list: AgentsList }) {
  const { skill, shadows } = entry;
  const standing = readiness(skill);
  return (
    <>
      <SkillName skill={skill} />
      <SkillSource skill={skill} shadows={shadows} />
      <AllowedFor ids={entry.allowedFor} list={list} />
      <div class="state">
        <div class="state-top">
          <ReadinessChip readiness={standing.readiness} />
        </div>
        {standing.reasons.length > 0 && (
          <p class="why">
            <FirstReason standing={standing} />
          </p>
        )}
      </div>
      <div>
        <Link class="btn sm" to={toSkill(entry)} label={t("setup.configureOf", { name: skill.name })}>
          {t("setup.configure")}
        </Link>
      </div>
    </>
  );
}

/** So many faces fit. */
const MOST_FACES = 3;

function AllowedFor({ ids, list }: { ids: readonly string[]; list: AgentsList }) {
  const agents = ids.flatMap((id) => agentOf(list, id) ?? []);
  const names = listed(ids.map((id) => nameOf(list, id)));
  return (
    <div class="c-used">
      {agents.length === 0 ? (
        <span class="quiet">{t("setup.noAgent")}</span>
      ) : (
        <span class="avatars" role="img" aria-label={t("setup.allowedFor", { names })} title={names}>
          {agents.slice(0, MOST_FACES).map((agent) => (
            <Avatar key={agent.id} agent={agent} />
          ))}
          {agents.length > MOST_FACES && <span class="quiet">+{agents.length - MOST_FACES}</span>}
        </span>
      )}
    </div>
  );
}
