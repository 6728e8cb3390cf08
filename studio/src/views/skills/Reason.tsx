// Why a skill is not ready, in words: the same sentence for one skill everywhere.
import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import type { Reason, Standing } from "../../state/readiness";
import { listed } from "../../words";
import { rich } from "../../words/rich";

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
      return rich("skills.whyFinding", { line: reason.finding.line, file: reason.finding.file, title: reason.finding.title });
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
      return reason.why ? rich("skills.whyUnreadable", { why: reason.why.replace(/\.$/, "") }) : rich("skills.whyUnreadableSomehow");
  }
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
