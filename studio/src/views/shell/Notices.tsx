// What is said above every view: that the connection is lost, and that the address names an agent that is not there.
import { link, tryNow } from "../../gateway/link";
import { Banner, Button } from "../../parts";
import { agentInView, agentName } from "../../state/agents";
import { everySecond } from "../../state/now";
import { t } from "../../words";
import { rich } from "../../words/rich";

export function Notices() {
  const { agent, unknownId } = agentInView.value;
  return (
    <div class="notices">
      <Lost />
      {unknownId && agent && (
        <Banner kind="warn">{rich("shared.unknownAgent", { id: unknownId.slice(0, 64), name: agentName(agent) })}</Banner>
      )}
    </div>
  );
}

/** No alert: the bar says that the connection is lost, once; this counts down. */
function Lost() {
  const now = link.value;
  if (now.state !== "waiting" && now.state !== "connecting") return null;
  return (
    <Banner
      kind="warn"
      icon="unplug"
      action={
        now.state === "waiting" && (
          <Button small onClick={tryNow}>
            {t("shared.tryNow")}
          </Button>
        )
      }
    >
      {now.state === "waiting" ? <Countdown until={now.until} /> : rich("shared.lostNow")}
    </Banner>
  );
}

function Countdown({ until }: { until: number }) {
  return <>{rich("shared.lost", { seconds: Math.max(0, Math.ceil((until - everySecond.value) / 1000)) })}</>;
}
