// The search of the log, its levels and its categories, each with how many there are.
import { Filters, Search } from "../../parts";
import { type Entry, type Level, type Part, type Wanted, counted, levels, parts } from "../../state/logs/entries";
import { t } from "../../words";
import { levelText, partText } from "./titles";

type ToolsProps = { entries: readonly Entry[]; wanted: Wanted; found: number; onChange: (more: Partial<Wanted>) => void };

/** Those that are offered even when there is nothing of them. */
const usual = new Set<Part>(["security", "agent", "tools", "skills", "apps", "automations", "gateway"]);

export function Tools({ entries, wanted, found, onChange }: ToolsProps) {
  const ofPart = counted(entries, (entry) => entry.part);
  const inPart = wanted.part === "all" ? entries : entries.filter((entry) => entry.part === wanted.part);
  const ofLevel = counted(inPart, (entry) => entry.level);
  const shown = parts.filter((part) => usual.has(part) || ofPart.has(part) || wanted.part === part);
  return (
    <div class="tools">
      <div class="tools-row">
        <Search
          label={t("logs.search")}
          placeholder={t("logs.searchHint")}
          value={wanted.search}
          onInput={(search) => onChange({ search })}
        />
        <Filters<Level | "all">
          label={t("logs.byLevel")}
          value={wanted.level}
          onChange={(level) => onChange({ level })}
          choices={[
            { value: "all", text: t("logs.allLevels"), count: inPart.length },
            ...levels.map((level) => ({ value: level, text: levelText(level), count: ofLevel.get(level) ?? 0 })),
          ]}
        />
        <span class="result" role="status">
          {t("logs.shown", { found })}
        </span>
      </div>
      <Filters<Part | "all">
        label={t("logs.byPart")}
        value={wanted.part}
        onChange={(part) => onChange({ part })}
        choices={[
          { value: "all", text: t("logs.all"), count: entries.length },
          ...shown.map((part) => ({ value: part, text: partText(part), count: ofPart.get(part) ?? 0 })),
        ]}
      />
    </div>
  );
}
