// The verification of the audit chain: through which entry, or where it is broken.
import type { ComponentChildren } from "preact";
import type { AuditCheck } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { Button, ErrorState, Icon, Loading } from "../../components";
import { lastValue, useResource } from "../../state/resource";
import { fullMoment, t } from "../../words";
import { rich } from "../../words/rich";

/** `newest`: the number of the last known entry. */
export function Chain({ newest }: { newest: number }) {
  const check = useResource(() => call("audit.verify", {}), {}, []);
  const state = check.state.value;
  const last = lastValue(state);
  const verify = (
    <Button small busy={check.busy.value} onClick={() => void check.reload()}>
      {t("logs.verify")}
    </Button>
  );
  return (
    <>
      {state.state === "loading" && <Loading rows={0} text={t("logs.verifying")} />}
      {state.state === "failed" && <ErrorState error={state.error} title={t("logs.verifyFailed")} onRetry={() => void check.reload()} />}
      {last &&
        (last.value.ok ? (
          <ChainVerified check={last.value} at={last.at} newest={newest} action={verify} />
        ) : (
          <ChainBroken check={last.value} action={verify} />
        ))}
    </>
  );
}

type Action = { action: ComponentChildren };

function ChainVerified({ check, at, newest, action }: { check: AuditCheck; at: number; newest: number } & Action) {
  const after = Math.max(0, newest - check.lines);
  return (
    <section class="chain" aria-label={t("logs.chain")}>
      <Icon name="shieldok" size="l" />
      <div class="grow">
        <p role="status">
          <b>{check.lines === 0 ? t("logs.emptyChain") : rich("logs.verified", { n: check.lines })}</b>
        </p>
        <p class="d">
          {t("logs.verifiedMore")} {t("logs.lastCheck", { time: fullMoment(at) })} {after > 0 && t("logs.newer", { n: after })}
        </p>
      </div>
      {action}
    </section>
  );
}

function ChainBroken({ check, action }: { check: AuditCheck } & Action) {
  return (
    <section class="chain broken" aria-label={t("logs.chain")}>
      <Icon name="shieldx" size="l" />
      <div class="grow" role="alert">
        <p>
          <b>{t("logs.broken")}</b>
        </p>
        <p>{rich("logs.brokenWhere", { place: <code>{check.firstBad}</code> })}</p>
        <p class="d">{rich("logs.brokenMore", { n: check.lines })}</p>
      </div>
      {action}
    </section>
  );
}
