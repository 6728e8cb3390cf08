// The scan report of a skill. Notes are collapsed; findings that block or warn are open.
import type { Finding } from "../../../generated/protocol";
import { Banner } from "../../../components";
import { t } from "../../../words";
import { rich } from "../../../words/rich";
import type { SectionProps } from "./Configure";
import { FindingCard } from "./Finding";
import { Section } from "./Section";

export function Scan(props: SectionProps) {
  const { skill } = props.entry;
  const { state, findings } = skill.scan;
  const of = (severity: Finding["severity"]) => findings.filter((finding) => finding.severity === severity);
  const [critical, warnings, notes] = [of("critical"), of("warning"), of("info")];
  const isBlocked = skill.blockedBy === "security";
  const cards = (some: readonly Finding[]) =>
    some.map((finding) => <FindingCard key={`${finding.rule} ${finding.fingerprint} ${finding.line}`} {...props} finding={finding} />);
  return (
    <Section
      icon="search"
      title={t("setup.scan")}
      small={critical.length + warnings.length > 0 ? t("setup.counted", { critical: critical.length, n: warnings.length }) : undefined}
    >
      {isBlocked && (
        <Banner kind="bad" icon="shieldx">
          {critical.length > 0 ? rich("setup.blockedTitle") : rich("setup.blockedUnread")}
        </Banner>
      )}
      {skill.acceptedFindings && (
        <Banner kind="warn">{t("setup.acceptedBanner", { n: skill.acceptedFindings.critical })}</Banner>
      )}
      {cards(critical)}
      {cards(warnings)}
      {critical.length + warnings.length === 0 && !isBlocked && (
        <p class="muted">{state === "pending" ? rich("setup.scanPending", { path: skill.baseDir }) : t("setup.scanClean")}</p>
      )}
      {notes.length > 0 && (
        <details>
          <summary>{t("setup.notes", { n: notes.length })}</summary>
          <div class="stack">{cards(notes)}</div>
        </details>
      )}
    </Section>
  );
}
