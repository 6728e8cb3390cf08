// Installing what is missing: the exact command first, then its output as it comes, then the result.
// Where the gateway cannot run it, the command is there to copy.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { call } from "../../../gateway/calls";
import { Button, Command, ErrorState, Icon, Segmented } from "../../../parts";
import { everySecond } from "../../../state/now";
import { language } from "../../../state/preferences";
import { type Installation, canInstall, install, installations, isRunning } from "../../../state/skills/install";
import { listed, t } from "../../../words";
import { setUpRemark } from "../../../words/gateway/setup";
import { chineseOf, said } from "../../../words/told";
import { useAct } from "../act";
import type { SectionProps } from "./Configure";
import { Section } from "./Section";

export function Install({ entry, list, reload }: SectionProps) {
  const { skill } = entry;
  const options = skill.install;
  const [chosen, choose] = useState(options[0]?.id ?? "");
  const look = useAct();
  const missing = [...skill.missing.bins, ...skill.missing.anyBins];
  const last = installations.value.get(skill.skillKey);
  const option = options.find(({ id }) => id === chosen) ?? options[0];
  if (!option || (missing.length === 0 && !last)) return null;
  const command = option.command?.map(quoted).join(" ");
  // Installs go to the default agent's workspace, for a skill that this agent has.
  const canRun = canInstall() && entry.seenBy.includes(list.defaultId);
  const lookAgain = () => look.run(() => call("skills.refresh", { agentId: entry.agentId }).then(reload));
  const run = () => void install(skill.skillKey, skill.name, option.id).then(reload);
  return (
    <Section icon="down2" title={t("setup.install", { what: listed(option.bins.length > 0 ? option.bins : missing) })}>
      {options.length > 1 && (
        <Segmented
          label={t("setup.installWith")}
          value={option.id}
          disabled={isRunning(last)}
          onChange={choose}
          choices={options.map(({ id, label }) => ({ value: id, text: label }))}
        />
      )}
      {canRun && command ? (
        <>
          <div class="stack">
            <p class="label">{t("setup.exactly")}</p>
            <Command text={command} label={t("setup.copyCommand")} />
          </div>
          {!isRunning(last) && (
            <div class="btns">
              <Button icon="play" onClick={run}>
                {last ? t("setup.runAgain") : t("setup.runIt")}
              </Button>
            </div>
          )}
          {last && <Progress of={last} command={command} />}
        </>
      ) : (
        <>
          <div class="stack">
            <p>{t("setup.notFromHere")}</p>
            {command ? <Command text={command} label={t("setup.copyCommand")} /> : <p class="label">{option.label}</p>}
          </div>
          <div class="btns">
            <Button icon="reset" busy={look.busy} onClick={() => void lookAgain()}>
              {t("setup.checkAgain")}
            </Button>
          </div>
          {look.error && <ErrorState error={look.error} />}
        </>
      )}
    </Section>
  );
}

function Progress({ of, command }: { of: Installation; command: string }) {
  return (
    <div class="stack">
      {isRunning(of) && <RunsFor since={of.startedAt} />}
      {of.output && <Output text={of.output} label={t("setup.outputOf", { command })} />}
      {of.result && (
        <p class="prog" role="status">
          <Icon name={of.result.ok ? "ok" : "warn"} />
          <span>
            {(language.value === "en" && of.result.message) || t("setup.succeeded")} {of.result.code !== null && t("setup.endedWith", { code: of.result.code })}
          </span>
        </p>
      )}
      {of.result?.warnings?.map((warning, index) => (
        <p key={warning} class="hint">
          {chineseOf(of.result?.remarks?.[index], setUpRemark) ?? said(warning)}
        </p>
      ))}
      {of.error && <ErrorState error={of.error} title={t("setup.installFailed")} />}
    </div>
  );
}

function RunsFor({ since }: { since: number }) {
  const seconds = Math.max(0, Math.round((everySecond.value - since) / 1000));
  return (
    <p class="prog">
      <span class="spin" aria-hidden="true" />
      <span class="num">{t("setup.runsFor", { seconds })}</span>
    </p>
  );
}

/** Its newest line stays in sight. */
function Output({ text, label }: { text: string; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.scrollTo({ top: box.current.scrollHeight }), [text]);
  return (
    <div ref={box} class="term output" role="log" aria-label={label} tabIndex={0}>
      {text}
    </div>
  );
}

/** A word of a command as a shell would need it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
