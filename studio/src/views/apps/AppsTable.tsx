// The table of apps with its search.
import type { RegisteredApp } from "../../generated/protocol";
import { Button, Empty, Search, Table } from "../../components";
import type { Launches } from "../../state/logs/launches";
import { rememberedText } from "../../state/remember";
import { t } from "../../words";
import { AppRow, heads } from "./AppRow";
import type { AppAction, AppActions } from "./actions";

type AppsTableProps = {
  apps: readonly RegisteredApp[];
  acts: AppActions;
  launches: Launches | undefined;
  /** The linked app. */
  target: string | undefined;
  onAct: (app: RegisteredApp, act: AppAction) => void;
  onOpen: (what: "edit" | "policy" | "delete", app: RegisteredApp) => void;
};

export function AppsTable({ apps, acts, launches, target, onAct, onOpen }: AppsTableProps) {
  const search = rememberedText("apps.search");
  const found = filterApps(apps, search.value);
  const rows = acts.rows.value;
  return (
    <>
      <div class="tools-row">
        <Search label={t("apps.search")} value={search.value} onInput={(text) => (search.value = text)} />
        <span class="result" role="status">
          {search.value && t("apps.found", { found: found.length, all: apps.length })}
        </span>
      </div>
      {found.length === 0 ? (
        <Empty
          icon="search"
          title={t("apps.noMatch")}
          actions={<Button onClick={() => (search.value = "")}>{t("shared.clearSearch")}</Button>}
        />
      ) : (
        <Table label={t("apps.title")} heads={heads()} class="apps-table">
          {found.map((app) => (
            <AppRow
              key={app.name}
              app={app}
              state={rows.get(app.name)}
              launches={launches}
              isTarget={app.name === target}
              on={{
                act: (act) => onAct(app, act),
                edit: () => onOpen("edit", app),
                policy: () => onOpen("policy", app),
                remove: () => onOpen("delete", app),
                dismiss: () => acts.clear(app.name),
              }}
            />
          ))}
        </Table>
      )}
    </>
  );
}

/** The apps with every word of the search, in any field. */
export function filterApps(apps: readonly RegisteredApp[], search: string): readonly RegisteredApp[] {
  const words = search.normalize("NFKC").toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return apps;
  return apps.filter((app) => {
    const fields = [app.name, app.launch_path, app.runtime_exe, app.process_name, app.mode, ...app.allowed_agents];
    const text = fields.filter(Boolean).join("\n").normalize("NFKC").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
