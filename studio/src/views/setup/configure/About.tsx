// What a skill declares about itself: author, links, dependencies; and its folder.
import { Fragment } from "preact";
import type { SkillStatus } from "../../../generated/protocol";
import { t } from "../../../words";
import { sourceWord } from "../../skills/sources";
import { Section } from "./Section";

/** Its links, after commas. Only http and https addresses become links. */
export function Links({ skill }: { skill: SkillStatus }) {
  const { links } = skill;
  const pages: [string, string | undefined][] = [
    [t("setup.website"), links?.homepage ?? skill.homepage],
    [t("setup.source"), links?.repository],
    [t("setup.documentation"), links?.documentation],
    [t("setup.changelog"), links?.changelog],
  ];
  return (
    <>
      {pages.map(([text, address]) => {
        const href = webAddress(address);
        return (
          href && (
            <Fragment key={text}>
              {", "}
              <ExternalLink href={href}>{text}</ExternalLink>
            </Fragment>
          )
        );
      })}
    </>
  );
}

export function About({ skill }: { skill: SkillStatus }) {
  const rows: [string, preact.ComponentChildren][] = [
    ...(skill.author ? [[t("setup.author"), skill.author] as [string, string]] : []),
    [t("setup.comesFrom"), sourceWord(skill.source)],
    [t("setup.folder"), <code>{skill.baseDir}</code>],
    [t("setup.settingsKey"), <code>{skill.skillKey}</code>],
  ];
  return (
    <Section icon="info" title={t("setup.about")}>
      <dl class="facts">
        {rows.map(([term, value]) => (
          <Fragment key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
        {skill.dependencies && skill.dependencies.length > 0 && (
          <>
            <dt>{t("setup.buildsOn")}</dt>
            <dd>
              {skill.dependencies.map(({ name, version, url, repository }, index) => {
                const href = webAddress(url ?? repository);
                return (
                  <Fragment key={name}>
                    {index > 0 && ", "}
                    {href ? <ExternalLink href={href}>{name}</ExternalLink> : name}
                    {version && ` ${version}`}
                  </Fragment>
                );
              })}
            </dd>
          </>
        )}
      </dl>
    </Section>
  );
}

function ExternalLink({ href, children }: { href: string; children: string }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** The address, if it is http or https: a skill may contain anything. */
export function webAddress(text: string | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const address = new URL(text);
  return address.protocol === "https:" || address.protocol === "http:" ? address.href : undefined;
}
