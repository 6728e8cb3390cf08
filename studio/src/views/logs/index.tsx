// The Logs view, of the whole gateway: live entries, and the verification of the audit chain.
import { useMemo, useRef, useState } from "preact/hooks";
import { Banner, Button, Empty, ErrorState, GatewayBand, Icon, Loading, VirtualList } from "../../components";
import { type LogEntry, type LogLevel, type LogCategory, logLevels, logCategories, filterEntries } from "../../state/logs/entries";
import { language } from "../../state/preferences";
import { rememberedText } from "../../state/remember";
import { t } from "../../words";
import { rich } from "../../words/rich";
import "../../styles/logs.css";
import { Chain } from "./Chain";
import { LogRow, rowClass } from "./LogRow";
import { LogTools } from "./LogTools";
import { saveAsFile } from "./export";
import { type LogFollow, useFollow } from "./follow";
import { titleOf } from "./titles";

const ROW_PX = 33;

export default function Logs() {
  const list = useRef<HTMLDivElement>(null);
  const follow = useFollow(list);
  const { entries, feed } = follow;
  const filter = useLogFilter();
  const found = useMemo(
    () => filterEntries(entries ?? [], filter, titleOf),
    [entries, filter.category, filter.level, filter.search, language.value],
  );
  const all = feed.entries.value;
  const newest = useMemo(() => all?.reduce((most, { record }) => Math.max(most, record?.seq ?? 0), 0) ?? 0, [all]);
  return (
    <>
      <GatewayBand title={t("logs.band")}>
        <p>{t("logs.bandMore")}</p>
      </GatewayBand>
      <div class="page">
        <header class="page-head">
          <div class="grow">
            <h1>{t("logs.title")}</h1>
          </div>
          <div class="btns">
            <State follow={follow} />
            <Button
              icon="down2"
              title={t("logs.exportTitle")}
              disabled={found.length === 0}
              onClick={() => saveAsFile(found, "tarsus-log.jsonl")}
            >
              {t("logs.export")}
            </Button>
          </div>
        </header>
        <Chain newest={newest} />
        {feed.failure.value && feed.failure.value.code !== "DISCONNECTED" && (
          <ErrorState error={feed.failure.value} title={t("logs.failed")} onRetry={() => void feed.refresh()} />
        )}
        {feed.unreadable.value > 0 && <Banner kind="bad">{t("logs.unreadable", { n: feed.unreadable.value })}</Banner>}
        {!entries ? (
          !feed.failure.value && <Loading text={t("logs.reading")} />
        ) : (
          <>
            <LogTools entries={entries} filter={filter} found={found.length} onChange={filter.change} />
            <div ref={list} class="log-anchor">
              {found.length > 0 ? <List entries={found} /> : <Nothing isEmpty={entries.length === 0} onClear={filter.clear} />}
            </div>
            {feed.isCut.value && <p class="hint">{rich("logs.cut")}</p>}
          </>
        )}
      </div>
    </>
  );
}

function State({ follow }: { follow: LogFollow }) {
  const { isPaused, waiting } = follow;
  return (
    <>
      <span class={isPaused ? "live-state" : "live-state on"} role="status">
        <Icon name={isPaused ? "pause" : "disc"} size="s" />
        {!isPaused ? t("logs.live") : waiting > 0 ? t("logs.pausedNew", { n: waiting }) : t("logs.paused")}
      </span>
      {isPaused ? (
        <Button kind="primary" icon="play" onClick={follow.follow}>
          {t("logs.follow")}
        </Button>
      ) : (
        <Button icon="pause" onClick={follow.pause}>
          {t("logs.pause")}
        </Button>
      )}
    </>
  );
}

function List({ entries }: { entries: readonly LogEntry[] }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  return (
    <div class="log">
      <div class="log-heads" aria-hidden="true">
        <span />
        <span>{t("logs.time")}</span>
        <span>{t("logs.level")}</span>
        <span>{t("logs.event")}</span>
        <span>{t("logs.agentHead")}</span>
        <span class="seq">{t("logs.entry")}</span>
      </div>
      <VirtualList items={entries} keyOf={({ key }) => key} estimate={ROW_PX} label={t("logs.list")} rowClass={rowClass}>
        {(entry) => <LogRow entry={entry} isOpen={open.has(entry.key)} onToggle={() => toggle(entry.key)} />}
      </VirtualList>
    </div>
  );
}

function Nothing({ isEmpty, onClear }: { isEmpty: boolean; onClear: () => void }) {
  if (isEmpty) {
    return (
      <Empty icon="list" title={t("logs.none")}>
        {t("logs.noneMore")}
      </Empty>
    );
  }
  return (
    <Empty icon="search" title={t("logs.noMatch")} actions={<Button onClick={onClear}>{t("logs.clear")}</Button>}>
      {t("logs.noMatchMore")}
    </Empty>
  );
}

/** The filter; it survives a reload. */
function useLogFilter() {
  const category = rememberedText("logs.part", "all");
  const level = rememberedText("logs.level", "all");
  const search = rememberedText("logs.search");
  const change = (more: { category?: string; level?: string; search?: string }) => {
    if (more.category !== undefined) category.value = more.category;
    if (more.level !== undefined) level.value = more.level;
    if (more.search !== undefined) search.value = more.search;
  };
  return {
    category: oneOf<LogCategory>(logCategories, category.value),
    level: oneOf<LogLevel>(logLevels, level.value),
    search: search.value,
    change,
    clear: () => change({ category: "all", level: "all", search: "" }),
  };
}

const oneOf = <T extends string>(known: readonly T[], word: string): T | "all" => known.find((one) => one === word) ?? "all";
