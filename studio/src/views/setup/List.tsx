// Every skill of the gateway: source, agents, readiness, and a link to configure it.
import { useCallback, useMemo } from "preact/hooks";
import type { AgentsList } from "../../generated/protocol";
import { Avatar, Link, ReadinessChip, Search, VirtualList } from "../../components";
import { agentOf } from "../../state/agents";
import { language } from "../../state/preferences";
import { readinessWithReasons, readinessOf } from "../../state/readiness";
import { rememberedText } from "../../state/remember";
import type { GatewaySkill } from "../../state/skills/gateway-skills";
import { countsOf, matchesSearch } from "../../state/skills/search";
import { listed, t } from "../../words";
import { NoMatch } from "../skills/NoMatch";
import { ReadinessFilter, readinessChoice } from "../skills/ReadinessFilter";
import { SkillName, SkillSource } from "../skills/SkillName";
import { sourceWord } from "../skills/sources";
import { Why } from "../skills/Why";
import { nameOf } from "./Band";
import { toSkill } from "./links";

const search = rememberedText("setup.search");
const ready = rememberedText("setup.readiness", "any");

type ListProps = { skills: readonly GatewaySkill[]; list: AgentsList; target: GatewaySkill | undefined };

export function List({ skills, list, target }: ListProps) {
  const query = search.value;
  const byReadiness = readinessChoice(ready.value);
  const counts = useMemo(() => countsOf(skills, ({ skill }) => readinessOf(skill)), [skills]);
  const found = useMemo(() => skills.filter(({ skill }) => matchesSearch(skill, query, sourceWord(skill.source))), [skills, query, language.value]);
  const visible = useMemo(() => found.filter(({ skill }) => byReadiness === "any" || readinessOf(skill) === byReadiness), [found, byReadiness]);
  // Stable functions: rows that a search leaves in place do not render again.
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
            {t("skills.count", { n: visible.length })}
          </span>
        </div>
        <ReadinessFilter
          value={byReadiness}
          counts={counts}
          all={skills.length}
          onChange={(value) => (ready.value = value)}
        />
      </div>
      {visible.length === 0 ? (
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
            items={visible}
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
  const skillReadiness = readinessWithReasons(skill);
  return (
    <>
      <SkillName skill={skill} />
      <SkillSource skill={skill} shadows={shadows} />
      <AllowedFor ids={entry.allowedFor} list={list} />
      <div class="state">
        <div class="state-top">
          <ReadinessChip readiness={skillReadiness.readiness} />
        </div>
        <Why skill={skill} readiness={skillReadiness} />
      </div>
      <div>
        <Link class="btn sm" to={toSkill(entry)} label={t("setup.configureOf", { name: skill.name })}>
          {t("setup.configure")}
        </Link>
      </div>
    </>
  );
}

/** The avatars that fit. */
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
