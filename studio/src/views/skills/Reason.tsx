// Why a skill is not ready, in words: the same sentence for one skill everywhere.
import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import type { Finding, SkillDiagnostic } from "../../generated/protocol";
import type { Reason, Standing } from "../../state/readiness";
import { listed } from "../../words";
import { diagnostics } from "../../words/gateway/diagnostics";
import { rules } from "../../words/gateway/rules";
import { rich, withCode } from "../../words/rich";
import { chineseFor, ended, said } from "../../words/told";

/** The first reason, and how many more there are. */
export function FirstReason({ standing }: { standing: Standing }) {
  const [first, ...more] = standing.reasons;
  if (!first) return null;
  return (
    <>
      {reasonText(first)}
      {more.length > 0 && <> {rich("skills.whyMore", { n: more.length })}</>}
    </>
  );
}

export function reasonText(reason: Reason): ComponentChildren {
  switch (reason.kind) {
    case "finding":
      return rich("skills.whyFinding", { line: reason.finding.line, file: reason.finding.file, title: findingTitle(reason.finding) });
    case "not-scanned":
      return rich("skills.whyNotScanned");
    case "off":
      return rich("skills.whyOff");
    case "not-bundled":
      return rich("skills.whyNotBundled");
    case "system":
      return rich("skills.whySystem", { systems: systemNames(reason.systems) });
    case "program":
      return rich("skills.whyProgram", { name: reason.name });
    case "one-program":
      return rich("skills.whyOneProgram", { names: codes(reason.names) });
    case "key":
      return rich("skills.whyKey", { name: reason.name });
    case "setting":
      return rich("skills.whySetting", { path: reason.path });
    case "unreadable":
      return reason.diagnostic ? unreadable(reason.diagnostic) : rich("skills.whyUnreadableSomehow");
  }
}

/** What a rule found, in a few words. */
const findingTitle = ({ rule, title }: Finding): ComponentChildren => chineseFor(rules, rule)?.title ?? said(title);

/** What is wrong with its file, as the end of a sentence. */
export const diagnosis = ({ code, message }: SkillDiagnostic): ComponentChildren => {
  const chinese = chineseFor(diagnostics, code);
  return chinese ? withCode(chinese) : said(message.replace(/\.$/, ""));
};

/** The gateway's own sentence says what exactly, and where. */
function unreadable(diagnostic: SkillDiagnostic): ComponentChildren {
  const told = rich("skills.whyUnreadable", { why: diagnosis(diagnostic) });
  if (!chineseFor(diagnostics, diagnostic.code)) return told;
  return (
    <>
      {told} {said(ended(diagnostic.message))}
    </>
  );
}

const systems: Record<string, string> = { darwin: "macOS", macos: "macOS", mac: "macOS", linux: "Linux", win32: "Windows", windows: "Windows" };

/** Systems as people call them. */
export const systemNames = (names: readonly string[]): string =>
  listed([...new Set(names.map((name) => systems[name.toLowerCase()] ?? name))]);

/** Names as code, with commas between. */
export const codes = (names: readonly string[]): ComponentChildren =>
  names.map((name, index) => (
    <Fragment key={name}>
      {index > 0 && ", "}
      <code>{name}</code>
    </Fragment>
  ));
