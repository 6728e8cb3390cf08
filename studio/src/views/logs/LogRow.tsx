// One entry of the log: one line, and its details when opened.
import { CopyButton, Icon, type IconName } from "../../components";
import { agentName, agentOf, agents } from "../../state/agents";
import type { LogEntry, LogLevel } from "../../state/logs/entries";
import { fullMoment, number, perLanguage, t } from "../../words";
import { levelText, categoryText, titleOf } from "./titles";

const looks: Record<LogLevel, { icon: IconName; class: string }> = {
  error: { icon: "shieldx", class: "e" },
  warning: { icon: "warn", class: "w" },
  info: { icon: "info", class: "" },
  debug: { icon: "circle", class: "" },
};

/** The class of the whole row. */
export const rowClass = ({ level }: LogEntry): string => `log-row sev-${looks[level].class || "i"}`;

type LogRowProps = { entry: LogEntry; isOpen: boolean; onToggle: () => void };

export function LogRow({ entry, isOpen, onToggle }: LogRowProps) {
  const look = looks[entry.level];
  const title = titleOf(entry);
  return (
    <>
      <div class="log-line">
        <button
          type="button"
          class="log-open"
          aria-expanded={isOpen}
          aria-label={t("logs.details", { what: title })}
          data-row-control="open"
          onClick={onToggle}
        >
          <Icon name={isOpen ? "down" : "right"} size="s" />
        </button>
        <time class="t" dateTime={isoOf(entry.at)} title={fullMoment(entry.at)}>
          {clock(entry.at)}
        </time>
        <span class={`lv ${look.class}`}>
          <Icon name={look.icon} size="s" />
          {levelText(entry.level)}
        </span>
        <span class="ev">
          <b lang={entry.record ? undefined : "en"}>{title}</b>{" "}
          <span class="d" lang="en">
            {entry.more}
          </span>
        </span>
        <span class="who muted">{whoOf(entry)}</span>
        <span class="seq num">{entry.record && number(entry.record.seq)}</span>
      </div>
      {isOpen && <Details entry={entry} />}
    </>
  );
}

function Details({ entry }: { entry: LogEntry }) {
  return (
    <div class="log-details">
      <pre>{pretty(entry.line)}</pre>
      <CopyButton text={entry.line} label={t("logs.copyLine")} />
    </div>
  );
}

/** The agent, else the category. */
function whoOf({ record, category }: LogEntry): string {
  const id = record?.agentId;
  if (!id) return categoryText(record ? "gateway" : category);
  const list = agents.value.value;
  const agent = list && agentOf(list, id);
  return agent ? agentName(agent) : id;
}

const CLOCK: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
const today = perLanguage((of) => new Intl.DateTimeFormat(of, { ...CLOCK, fractionalSecondDigits: 3 }));
const earlier = perLanguage((of) => new Intl.DateTimeFormat(of, { ...CLOCK, day: "numeric", month: "short" }));

/** The time with milliseconds today; with the day before that. */
const clock = (at: number): string => (new Date(at).toDateString() === new Date().toDateString() ? today() : earlier()).format(at);

const isoOf = (at: number): string => new Date(at).toISOString();

function pretty(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), null, 2);
  } catch {
    return line;
  }
}
