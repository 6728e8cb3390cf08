// No skill matches the search or the filters: what was searched, what is hidden, and how to show it.
import { Button, Empty } from "../../components";
import { t } from "../../words";

type NoMatchProps = { query: string; all: number; hidden: number; onAll: () => void; onClear: () => void };

/** `hidden`: skills that match the search but not the filters. */
export function NoMatch({ query, all, hidden, onAll, onClear }: NoMatchProps) {
  const isFiltered = hidden > 0;
  return (
    <Empty
      icon="search"
      title={query ? t("skills.noMatch", { query }) : t("skills.noneSuch")}
      actions={
        <>
          {isFiltered && <Button onClick={onAll}>{query ? t("skills.searchAll", { n: all }) : t("skills.showAll", { n: all })}</Button>}
          {query && (
            <Button kind="quiet" onClick={onClear}>
              {t("shared.clearSearch")}
            </Button>
          )}
        </>
      }
    >
      {isFiltered ? t("skills.hidden", { n: hidden }) : t("skills.nothingHidden")}
    </Empty>
  );
}
