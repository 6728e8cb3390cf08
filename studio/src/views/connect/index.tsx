// The screens before the page is connected: connecting, gateway down, token required, refused, another tab.
// After the first connection, a lost one is a banner over the last data instead (views/shell).
import type { Link } from "../../gateway/link";
import { retryNow, takeOver } from "../../gateway/link";
import { Button, Command } from "../../components";
import { everySecond } from "../../state/now";
import { t } from "../../words";
import { Bar } from "../shell/Bar";
import { Refused } from "./Refused";
import { Screen } from "./Screen";

export function Connect({ link }: { link: Exclude<Link, { state: "ready" }> }) {
  return (
    <div class="welcome" data-scope="agent">
      <Bar />
      <main id="main" tabIndex={-1}>
        {link.state === "connecting" && (
          <Screen title={t("connect.connecting")} busy>
            <p>{t("connect.connectingMore")}</p>
          </Screen>
        )}
        {link.state === "waiting" && <Waiting link={link} />}
        {link.state === "refused" && <Refused refusal={link.refusal} />}
        {link.state === "another-tab" && (
          <Screen icon="browser" title={t("connect.elsewhere")}>
            <p>{t("connect.elsewhereMore")}</p>
            <div class="btns">
              <Button kind="primary" onClick={takeOver}>
                {t("connect.useHere")}
              </Button>
            </div>
          </Screen>
        )}
      </main>
    </div>
  );
}

function Waiting({ link }: { link: Link & { state: "waiting" } }) {
  const seconds = Math.max(0, Math.ceil((link.until - everySecond.value) / 1000));
  if (link.why === "too-many") {
    return (
      <Screen icon="scheduling" title={t("connect.tooMany")}>
        <p>{t("connect.tooManyMore", { seconds })}</p>
      </Screen>
    );
  }
  const restarts = link.why === "restarting";
  return (
    <Screen icon="unplug" title={restarts ? t("connect.restarting") : t("connect.down")}>
      <p>{restarts ? t("connect.restartingMore", { seconds }) : t("connect.downMore", { seconds })}</p>
      <Command text="tarsus gateway start" />
      <div class="btns">
        <Button kind="primary" onClick={retryNow}>
          {t("connect.tryNow")}
        </Button>
      </div>
    </Screen>
  );
}
