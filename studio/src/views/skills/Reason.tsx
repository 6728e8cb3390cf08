// Why a skill is not ready, as a sentence; the same everywhere.
import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import type { Finding, SkillDiagnostic } from "../../generated/protocol";
import type { ReadinessReason, SkillReadiness } from "../../state/readiness";
import { listed } from "../../words";
import { diagnostics } from "../../words/gateway/diagnostics";
import { rules } from "../../words/gateway/rules";
import { rich, withCode } from "../../words/rich";
import { chineseFor, withFullStop, gatewayText } from "../../words/gateway-text";

/** The first reason, and how many more there are. */
export function FirstReason({ readiness }: { readiness: SkillReadiness }) {
  const [first, ...more] = readiness.reasons;
  if (!first) return null;
  return (
    <>
      {reasonText(first)}
      {more.length > 0 && <> {rich("skills.whyMore", { n: more.length })}</>}
    </>
  );
}

export function reasonText(reason: ReadinessReason): ComponentChildren {
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
    case "tool":
      return reason.keys.length > 0
        ? rich("skills.whyToolDenied", { names: codes(reason.names), keys: codes(reason.keys) })
        : rich("skills.whyToolNotBuilt", { names: codes(reason.names) });
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

/** The short title of a rule. */
export const findingTitle = ({ rule, title }: Finding): ComponentChildren => chineseFor(rules, rule)?.title ?? gatewayText(title);

/** The problem of a skill file, as the end of a sentence. */
export const diagnosis = ({ code, message }: SkillDiagnostic): ComponentChildren => {
  const chinese = chineseFor(diagnostics, code);
  return chinese ? withCode(chinese) : gatewayText(message.replace(/\.$/, ""));
};

/** On a Chinese page, the gateway's own message follows with the details. */
function unreadable(diagnostic: SkillDiagnostic): ComponentChildren {
  const text = rich("skills.whyUnreadable", { why: diagnosis(diagnostic) });
  if (!chineseFor(diagnostics, diagnostic.code)) return text;
  return (
    <>
      {text} {gatewayText(withFullStop(diagnostic.message))}
    </>
  );
}

const systems: Record<string, string> = { darwin: "macOS", macos: "macOS", mac: "macOS", linux: "Linux", win32: "Windows", windows: "Windows" };

/** Systems by their usual names. */
export const systemNames = (names: readonly string[]): string =>
  listed([...new Set(names.map((name) => systems[name.toLowerCase()] ?? name))]);

/** Names as code, separated by commas. */
export const codes = (names: readonly string[]): ComponentChildren =>
  names.map((name, index) => (
    <Fragment key={name}>
      {index > 0 && ", "}
      <code>{name}</code>
    </Fragment>
  ));
