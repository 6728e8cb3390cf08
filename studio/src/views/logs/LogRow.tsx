// One entry of the log: one line, and everything that it says when it is opened.
import { CopyButton, Icon, type IconName } from "../../parts";
import { agentName, agentOf, agents } from "../../state/agents";
import type { Entry, Level } from "../../state/logs/entries";
import { fullMoment, number, perLanguage, t } from "../../words";
import { levelText, partText, titleOf } from "./titles";

const looks: Record<Level, { icon: IconName; class: string }> = {
  error: { icon: "shieldx", class: "e" },
  warning: { icon: "warn", class: "w" },
  info: { icon: "info", class: "" },
  debug: { icon: "circle", class: "" },
};

/** The class of a whole row. */
export const rowClass = ({ level }: Entry): string => `log-row sev-${looks[level].class || "i"}`;

type LogRowProps = { entry: Entry; isOpen: boolean; onToggle: () => void };

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

function Details({ entry }: { entry: Entry }) {
  return (
    <div class="log-details">
      <pre>{pretty(entry.line)}</pre>
      <CopyButton text={entry.line} label={t("logs.copyLine")} />
    </div>
  );
}

/** The agent that it concerns, else the part of the program. */
function whoOf({ record, part }: Entry): string {
  const id = record?.agentId;
  if (!id) return partText(record ? "gateway" : part);
  const list = agents.value.value;
  const agent = list && agentOf(list, id);
  return agent ? agentName(agent) : id;
}

const CLOCK: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
const today = perLanguage((of) => new Intl.DateTimeFormat(of, { ...CLOCK, fractionalSecondDigits: 3 }));
const earlier = perLanguage((of) => new Intl.DateTimeFormat(of, { ...CLOCK, day: "numeric", month: "short" }));

/** The time of today to the thousandth; with its day before today. */
const clock = (at: number): string => (new Date(at).toDateString() === new Date().toDateString() ? today() : earlier()).format(at);

const isoOf = (at: number): string => new Date(at).toISOString();

function pretty(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), null, 2);
  } catch {
    return line;
  }
}
