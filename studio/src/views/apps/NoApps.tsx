// No registry yet, or an empty one: what to do.
import { useState } from "preact/hooks";
import { call } from "../../gateway/calls";
import { type CallError, asCallError } from "../../gateway/failure";
import { Button, Empty, ErrorState } from "../../components";
import { t } from "../../words";
import { rich } from "../../words/rich";

export function NoRegistry({ path, onCreated }: { path: string; onCreated: () => void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CallError>();
  const create = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await call("apps.create", {});
      onCreated();
    } catch (thrown) {
      setError(asCallError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {error && <ErrorState error={error} title={t("apps.notCreated")} />}
      <Empty
        icon="apps"
        title={t("apps.noRegistry")}
        actions={
          <Button kind="primary" busy={busy} onClick={() => void create()}>
            {t("apps.create")}
          </Button>
        }
      >
        {rich("apps.noRegistryMore", { path: <code>{path}</code> })}
      </Empty>
    </>
  );
}

export function NothingRegistered({ onAdd }: { onAdd: () => void }) {
  return (
    <Empty
      icon="apps"
      title={t("apps.noApps")}
      actions={
        <Button kind="primary" icon="plus" onClick={onAdd}>
          {t("apps.add")}
        </Button>
      }
    >
      {t("apps.noAppsMore")}
    </Empty>
  );
}
