// The About view, of the whole gateway: facts, stored data, keyboard.
import { call } from "../../gateway/calls";
import { Command, GatewayBand, Load } from "../../components";
import { useResource } from "../../state/resource";
import { t } from "../../words";
import "../../styles/about.css";
import { Facts } from "./Facts";
import { Keyboard } from "./Keyboard";
import { ThisBrowser } from "./ThisBrowser";

export default function About() {
  const status = useResource(() => call("status", {}), { on: { "config.changed": true } }, []);
  return (
    <>
      <GatewayBand title={t("about.band")}>
        <p>{t("about.bandMore")}</p>
      </GatewayBand>
      <div class="page">
        <header class="page-head">
          <div class="grow">
            <h1>{t("about.title")}</h1>
          </div>
        </header>
        <Load from={status} loading={t("about.reading")} failed={t("about.failed")}>
          {(answer, at) => <Facts status={answer} at={at} />}
        </Load>
        <section class="about-part" aria-labelledby="about-licences">
          <h2 id="about-licences">{t("about.licences")}</h2>
          <p class="muted">{t("about.licencesMore")}</p>
          <Command text="tarsus licenses" />
        </section>
        <ThisBrowser />
        <Keyboard />
      </div>
    </>
  );
}
