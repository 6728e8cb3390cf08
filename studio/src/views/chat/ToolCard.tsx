// The card of a tool call: name, duration and outcome; opened, everything.
import { CopyButton, Icon } from "../../components";
import type { CallRow } from "../../state/chat/rows";
import { textOf } from "../../state/chat/transcript";
import { everySecond } from "../../state/now";
import { t } from "../../words";
import { visibleText } from "../../words/visible";
import { briefOf, exitCodeOf, iconOf } from "./tool";

/** The characters that are rendered. */
const SHOWN = 20_000;

/** `hasHiddenResult`: the session shows calls without their results. */
export function ToolCard({ call, hasHiddenResult }: { call: CallRow; hasHiddenResult: boolean }) {
  const args = call.args && Object.keys(call.args).length > 0 ? JSON.stringify(call.args, null, 2) : "";
  const brief = visibleText(briefOf(call.args ?? {}));
  return (
    <details class="tool">
      <summary>
        <Icon name="right" size="s" class="chev" />
        <Icon name={iconOf(call.name)} />
        <b>{call.name}</b>
        {call.args && (
          <code class="cut muted" title={brief}>
            {brief}
          </code>
        )}
        <span class="stat num">
          <CallDuration call={call} />
          <CallOutcome call={call} />
        </span>
      </summary>
      <div class="inside">
        {args && <ToolText label={t("chat.arguments")} copy={t("chat.copyArguments")} text={args} />}
        {call.result && !hasHiddenResult && <ToolText label={t("chat.outputOf", { name: call.name })} copy={t("chat.copyOutput")} text={textOf(call.result.content)} />}
      </div>
    </details>
  );
}

function ToolText({ label, copy, text }: { label: string; copy: string; text: string }) {
  return (
    <div class="term" role="group" aria-label={label}>
      {text === "" ? <span class="p">{t("chat.noOutput")}</span> : text.slice(0, SHOWN)}
      {text.length > SHOWN && <span class="p">{`\n${t("chat.cut", { shown: SHOWN, all: text.length })}`}</span>}
      {text !== "" && <CopyButton text={text} label={copy} />}
    </div>
  );
}

function CallDuration({ call: { time, result, isOpen } }: { call: CallRow }) {
  if (!time) return null;
  if (time.ended === undefined) return isOpen && !result ? <Running since={time.began} /> : null;
  const ms = Math.max(0, time.ended - time.began);
  return <span>{ms < 1000 ? t("chat.milliseconds", { ms }) : t("chat.seconds", { s: (ms / 1000).toFixed(1) })}</span>;
}

function Running({ since }: { since: number }) {
  return <span>{t("chat.seconds", { s: Math.max(0, Math.floor((everySecond.value - since) / 1000)) })}</span>;
}

function CallOutcome({ call: { result, isOpen } }: { call: CallRow }) {
  if (!result) {
    if (!isOpen) return <span>{t("chat.toolNoResult")}</span>;
    return (
      <span class="busy">
        <span class="spin" aria-hidden="true" />
        {t("chat.toolRunning")}
      </span>
    );
  }
  const code = exitCodeOf(result.details);
  const isBad = result.isError || (code !== undefined && code !== 0);
  const word = code !== undefined ? t("chat.exit", { code: String(code) }) : isBad ? t("chat.toolFailed") : t("chat.toolOk");
  return (
    <span class={isBad ? "bad" : "ok"}>
      <Icon name={isBad ? "warn" : "ok"} size="s" />
      {word}
    </span>
  );
}
