// The Applications view, of the whole gateway: registered apps, who may launch them, and whether they run.
import { useEffect, useState } from "preact/hooks";
import type { AppList, RegisteredApp } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import type { CallError } from "../../gateway/failure";
import { Banner, Button, Confirm, GatewayBand, Loading, Select } from "../../components";
import { agentName, agents, agentOf } from "../../state/agents";
import { RECORDS_READ, launchesOf } from "../../state/logs/launches";
import { rememberedText } from "../../state/remember";
import { type Resource, useResource } from "../../state/resource";
import { showToast } from "../../state/toast";
import { t } from "../../words";
import { rich, withCode } from "../../words/rich";
import "../../styles/apps.css";
import type { ViewProps } from "..";
import { AppsTable } from "./AppsTable";
import { DeleteApp } from "./DeleteApp";
import { EntryDialog, type EntryKind } from "./EntryDialog";
import { NoRegistry, NothingRegistered } from "./NoApps";
import { Unreadable } from "./Unreadable";
import { Validation } from "./Validation";
import { type AppAction, useAppActions } from "./actions";
import { dismissRestoreError, restoreError, restoreApp } from "./restore";

/** The open dialog. */
type OpenDialog = { what: EntryKind | "delete" | "stop-off"; app?: RegisteredApp };

const POLL_MS = 5000;

export default function Applications({ route }: ViewProps) {
  const list = useResource(() => call("apps.list", {}), { on: { "apps.changed": true } }, []);
  const launches = useResource(
    async () => launchesOf(await call("audit.tail", { category: "security", limit: RECORDS_READ })),
    { on: { "apps.changed": true } },
    [],
  );
  const [open, setOpen] = useState<OpenDialog>();
  const acts = useAppActions();
  const chosenAgent = rememberedText("apps.agent");
  const agentId = actingAgentId(chosenAgent.value);
  usePolling(list);

  const act = (app: RegisteredApp, what: AppAction) => {
    if (what === "launch") void acts.launch(app.name, agentId);
    else if (app.mode === "off") setOpen({ what: "stop-off", app });
    else void acts.stop(app.name, agentId, false);
  };
  const close = () => setOpen(undefined);
  const state = list.state.value;
  const read = list.value.value;
  return (
    <>
      <GatewayBand title={t("apps.band")}>
        <p>
          {t("apps.bandMore")} {read && rich("apps.bandFile", { path: <code>{read.registry.path}</code> })}
        </p>
      </GatewayBand>
      <div class="page">
        <header class="page-head">
          <div class="grow">
            <h1>{t("apps.title")}</h1>
            <p>{t("apps.lead")}</p>
          </div>
          {read?.registry.exists && (
            <div class="btns">
              <LaunchAs agentId={agentId} onChange={(id) => (chosenAgent.value = id)} />
              <Button kind="primary" icon="plus" onClick={() => setOpen({ what: "add" })}>
                {t("apps.add")}
              </Button>
            </div>
          )}
        </header>
        {restoreError.value && <RestoreError {...restoreError.value} />}
        {state.state === "loading" && <Loading text={t("apps.reading")} />}
        {state.state === "failed" && (
          <Unreadable error={state.error} busy={list.busy.value} onRetry={() => void list.reload()} />
        )}
        {read && !read.registry.exists && <NoRegistry path={read.registry.path} onCreated={() => void list.reload()} />}
        {read?.registry.exists && read.apps.length === 0 && <NothingRegistered onAdd={() => setOpen({ what: "add" })} />}
        {read && read.apps.length > 0 && (
          <>
            <Validation />
            <AppsTable
              apps={read.apps}
              acts={acts}
              launches={launches.value.value}
              target={route.view === "settings" ? route.item : undefined}
              onAct={act}
              onOpen={(what, app) => setOpen({ what, app })}
            />
          </>
        )}
      </div>
      {open && isEntry(open.what) && (
        <EntryDialog
          key={`${open.what} ${open.app?.name}`}
          kind={open.what}
          list={list}
          app={open.app}
          onSaved={(name) => {
            close();
            void list.reload();
            showToast({ text: t("apps.saved", { name }) });
          }}
          onEditInstead={(app) => setOpen({ what: "edit", app })}
          onClose={close}
        />
      )}
      {open?.what === "delete" && open.app && (
        <DeleteApp
          list={list}
          app={open.app}
          onDeleted={({ removed }) => {
            const name = open.app?.name ?? "";
            close();
            acts.clear(name);
            void list.reload();
            showToast({ text: t("apps.deleted", { name }), undo: () => void restoreApp(name, removed) });
          }}
          onClose={close}
        />
      )}
      {open?.what === "stop-off" && open.app && (
        <Confirm
          scope="gateway"
          title={t("apps.stopOffTitle", { name: open.app.name })}
          effects={[
            { icon: "ban", text: t("apps.stopOffWhy") },
            { icon: "stop", text: t("apps.stopOffHow") },
          ]}
          yes={t("apps.stopOffYes", { name: open.app.name })}
          onYes={() => {
            close();
            if (open.app) void acts.stop(open.app.name, agentId, true);
          }}
          onNo={close}
        />
      )}
    </>
  );
}

/** A failed undo, shown in the page like any error. */
function RestoreError({ name, error }: { name: string; error: CallError }) {
  return (
    <Banner
      kind="bad"
      alert
      action={
        <Button small onClick={dismissRestoreError}>
          {t("shared.dismiss")}
        </Button>
      }
    >
      <b>{t("apps.notPutBack", { name })}</b> {withCode(error.message)}
    </Banner>
  );
}

const isEntry = (what: OpenDialog["what"]): what is EntryKind => what === "add" || what === "edit" || what === "policy";

/** The chosen agent if it still exists, else the default one. */
function actingAgentId(chosen: string): string {
  const list = agents.value.value;
  return (list && agentOf(list, chosen)?.id) ?? list?.defaultId ?? "";
}

function LaunchAs({ agentId, onChange }: { agentId: string; onChange: (id: string) => void }) {
  const choices = agents.value.value?.agents.map((agent) => ({ value: agent.id, text: agentName(agent) })) ?? [];
  return (
    <span class="pick">
      <label for="launch-as">{t("apps.launchAs")}</label>
      <Select id="launch-as" label={t("apps.launchAs")} value={agentId} choices={choices} onChange={onChange} />
    </span>
  );
}

/** No event reports that an app ended by itself: poll while the page is visible. */
function usePolling(list: Resource<AppList>): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && !list.busy.peek()) void list.reload();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [list]);
}
