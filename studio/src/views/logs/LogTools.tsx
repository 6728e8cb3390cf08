// The search of the log, and filters by level and category with counts.
import { Filters, Search } from "../../components";
import { type LogEntry, type LogLevel, type LogCategory, type LogFilter, countBy, logLevels, logCategories } from "../../state/logs/entries";
import { t } from "../../words";
import { levelText, categoryText } from "./titles";

type ToolsProps = { entries: readonly LogEntry[]; filter: LogFilter; found: number; onChange: (more: Partial<LogFilter>) => void };

/** Offered even without entries. */
const alwaysOffered = new Set<LogCategory>(["security", "agent", "tools", "skills", "apps", "automations", "gateway"]);

export function LogTools({ entries, filter, found, onChange }: ToolsProps) {
  const byCategory = countBy(entries, (entry) => entry.category);
  const inCategory = filter.category === "all" ? entries : entries.filter((entry) => entry.category === filter.category);
  const byLevel = countBy(inCategory, (entry) => entry.level);
  const offered = logCategories.filter((category) => alwaysOffered.has(category) || byCategory.has(category) || filter.category === category);
  return (
    <div class="tools">
      <div class="tools-row">
        <Search
          label={t("logs.search")}
          placeholder={t("logs.searchHint")}
          value={filter.search}
          onInput={(search) => onChange({ search })}
        />
        <Filters<LogLevel | "all">
          label={t("logs.byLevel")}
          value={filter.level}
          onChange={(level) => onChange({ level })}
          choices={[
            { value: "all", text: t("logs.allLevels"), count: inCategory.length },
            ...logLevels.map((level) => ({ value: level, text: levelText(level), count: byLevel.get(level) ?? 0 })),
          ]}
        />
        <span class="result" role="status">
          {t("logs.shown", { found })}
        </span>
      </div>
      <Filters<LogCategory | "all">
        label={t("logs.byPart")}
        value={filter.category}
        onChange={(category) => onChange({ category })}
        choices={[
          { value: "all", text: t("logs.all"), count: entries.length },
          ...offered.map((category) => ({ value: category, text: categoryText(category), count: byCategory.get(category) ?? 0 })),
        ]}
      />
    </div>
  );
}
