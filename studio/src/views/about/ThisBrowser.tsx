// What Studio stores in this browser, and the button that forgets the device.
import { useEffect, useState } from "preact/hooks";
import { type CallError, asCallError } from "../../gateway/failure";
import { Button, Chip, Confirm, ErrorState, Table } from "../../components";
import { t } from "../../words";
import { type StoredData, forgetThisDevice, readStoredData } from "./stored";

export function ThisBrowser() {
  const [stored, setStored] = useState<StoredData>();
  const [isAsking, ask] = useState(false);
  const [error, setError] = useState<CallError>();
  useEffect(() => {
    void readStoredData().then(setStored);
  }, []);
  const forget = async () => {
    ask(false);
    setError(undefined);
    await forgetThisDevice().catch((thrown: unknown) => setError(asCallError(thrown)));
  };
  return (
    <section class="about-part" aria-labelledby="about-browser">
      <header class="page-head">
        <div class="grow">
          <h2 id="about-browser">{t("about.browser")}</h2>
          <p>{t("about.browserMore")}</p>
        </div>
        <Button kind="danger" onClick={() => ask(true)}>
          {t("about.forget")}
        </Button>
      </header>
      {error && <ErrorState error={error} title={t("about.forgetFailed")} />}
      <Table label={t("about.browser")} heads={[t("about.what"), t("about.where"), t("about.kept")]} class="plain-table">
        <Row what={t("about.deviceKey")} where={t("about.whereKey")} isKept={stored?.deviceKey} />
        <Row what={t("about.deviceToken")} where={t("about.whereBrowser")} isKept={stored?.deviceToken} />
        <Row what={t("about.preferences")} where={t("about.whereBrowser")} isKept={stored?.preferences} />
        <Row what={t("about.tabMemory")} where={t("about.whereTab")} isKept={stored?.tabMemory} />
      </Table>
      {isAsking && (
        <Confirm
          scope="gateway"
          danger
          title={t("about.forgetTitle")}
          effects={[
            { icon: "key", text: t("about.forgetKey") },
            { icon: "plug", text: t("about.forgetNext") },
            { icon: "gateway", text: t("about.forgetList") },
            { icon: "ok", text: t("about.forgetStays") },
          ]}
          yes={t("about.forgetYes")}
          onYes={() => void forget()}
          onNo={() => ask(false)}
        />
      )}
    </section>
  );
}

function Row({ what, where, isKept }: { what: string; where: string; isKept: boolean | undefined }) {
  return (
    <tr>
      <td>{what}</td>
      <td class="muted">{where}</td>
      <td>
        {isKept !== undefined &&
          (isKept ? (
            <Chip icon="check">{t("about.yes")}</Chip>
          ) : (
            <Chip icon="circle">{t("about.no")}</Chip>
          ))}
      </td>
    </tr>
  );
}
