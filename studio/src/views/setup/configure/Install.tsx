// Installing what is missing: the exact command first, then streaming output with a stop button, then the result.
// Where the gateway cannot run it, the command can be copied.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { call } from "../../../gateway/calls";
import { textAt } from "../../../gateway/failure";
import type { InstallDestination } from "../../../generated/protocol";
import { Button, Command, ErrorState, Icon, type IconName, Segmented } from "../../../components";
import { everySecond } from "../../../state/now";
import { language } from "../../../state/preferences";
import { type Installation, canInstall, install, installations, isRunning, stop } from "../../../state/skills/install";
import { listed, t } from "../../../words";
import { setUpRemark } from "../../../words/gateway/setup";
import { rich } from "../../../words/rich";
import { chineseForValue, gatewayText } from "../../../words/gateway-text";
import { useAction } from "../use-action";
import type { SectionProps } from "./Configure";
import { Section } from "./Section";

const destinations = {
  homebrew: "setup.toHomebrew",
  npm: "setup.toNpm",
  pnpm: "setup.toPnpm",
  yarn: "setup.toYarn",
  bun: "setup.toBun",
  go: "setup.toGo",
  uv: "setup.toUv",
} as const satisfies Record<InstallDestination, string>;

export function Install({ entry, list, reload }: SectionProps) {
  const { skill } = entry;
  const options = skill.install;
  const last = installations.value.get(skill.skillKey);
  // Reopening the dialog shows the running installation.
  const [chosen, choose] = useState((isRunning(last) && last?.installId) || options[0]?.id);
  const look = useAction();
  const missing = [...skill.missing.bins, ...skill.missing.anyBins];
  const option = options.find(({ id }) => id === chosen) ?? options[0];
  if (!option || (missing.length === 0 && !last)) return null;
  const command = option.command?.map(shellQuoted).join(" ");
  // Install commands run in the default agent's workspace, so that agent must have the skill.
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
            {option.destination && <p class="hint">{rich(destinations[option.destination])}</p>}
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
            {option.destination && <p class="hint">{rich(destinations[option.destination])}</p>}
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
      {isRunning(of) && <InstallRunning of={of} />}
      {of.notStopped && <ErrorState error={of.notStopped} title={t("setup.notStopped")} />}
      {of.output && <Output text={of.output} label={t("setup.outputOf", { command })} />}
      {of.result && (
        <Outcome icon={of.result.ok ? "ok" : "warn"}>
          {(language.value === "en" && of.result.message) || t("setup.succeeded")} {of.result.code !== null && t("setup.endedWith", { code: of.result.code })}
        </Outcome>
      )}
      {of.result?.warnings?.map((warning, index) => (
        <p key={warning} class="hint">
          {chineseForValue(of.result?.remarks?.[index], setUpRemark) ?? gatewayText(warning)}
        </p>
      ))}
      <InstallEnded of={of} />
    </div>
  );
}

/** How an installation ended without its own answer. A deliberate stop is not an error. */
function InstallEnded({ of: { error, ended } }: { of: Installation }) {
  const by = ended ? ended.by : error?.reason === "interrupted" && textAt(error.details, "by");
  if (by) return <Outcome icon="stop">{t("setup.stopped", { by })}</Outcome>;
  if (error) return <ErrorState error={error} title={t("setup.installFailed")} />;
  if (!ended) return null;
  const isThere = ended.outcome === "installed";
  return <Outcome icon={isThere ? "ok" : "warn"}>{isThere ? t("setup.succeeded") : t("setup.installFailed")}</Outcome>;
}

function Outcome({ icon, children }: { icon: IconName; children: ComponentChildren }) {
  return (
    <p class="prog" role="status">
      <Icon name={icon} />
      <span>{children}</span>
    </p>
  );
}

function InstallRunning({ of }: { of: Installation }) {
  const seconds = of.startedAt && Math.max(0, Math.round((everySecond.value - of.startedAt) / 1000));
  return (
    <div class="btns">
      <p class="prog">
        <span class="spin" aria-hidden="true" />
        <span class="num">{seconds === undefined ? t("setup.runs") : t("setup.runsFor", { seconds })}</span>
      </p>
      <Button small icon="stop" busy={of.isStopping ?? false} onClick={() => void stop(of)}>
        {t("setup.stop")}
      </Button>
    </div>
  );
}

/** The newest line stays visible. */
function Output({ text, label }: { text: string; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.scrollTo({ top: box.current.scrollHeight }), [text]);
  return (
    <div ref={box} class="term output" role="log" aria-label={label} tabIndex={0}>
      {text}
    </div>
  );
}

/** Quotes a word of a command for a shell. */
function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
