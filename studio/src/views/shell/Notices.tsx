// Notices above every view: the connection is lost, or the address names an unknown agent.
import { link, retryNow } from "../../gateway/link";
import { Banner, Button } from "../../components";
import { agentInView, agentName } from "../../state/agents";
import { everySecond } from "../../state/now";
import { t } from "../../words";
import { rich } from "../../words/rich";

export function Notices() {
  const { agent, unknownId } = agentInView.value;
  return (
    <div class="notices">
      <ConnectionLost />
      {unknownId && agent && (
        <Banner kind="warn">{rich("shared.unknownAgent", { id: unknownId.slice(0, 64), name: agentName(agent) })}</Banner>
      )}
    </div>
  );
}

/** Not an alert: the bar announces the lost connection once; this one counts down. */
function ConnectionLost() {
  const now = link.value;
  if (now.state !== "waiting" && now.state !== "connecting") return null;
  return (
    <Banner
      kind="warn"
      icon="unplug"
      action={
        now.state === "waiting" && (
          <Button small onClick={retryNow}>
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
