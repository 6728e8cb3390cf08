// A failed load with the gateway's error and a retry. Known data stays above or below.
import type { CallError } from "../gateway/failure";
import { t } from "../words";
import { callErrorText } from "../words/gateway-text";
import { Banner } from "./Banner";
import { Button } from "./Button";

export function ErrorState({ error, title, onRetry, busy }: { error: CallError; title?: string; onRetry?: () => void; busy?: boolean }) {
  return (
    <Banner
      kind="bad"
      alert
      action={
        onRetry && (
          <Button small busy={busy ?? false} onClick={onRetry}>
            {t("shared.tryAgain")}
          </Button>
        )
      }
    >
      <b>{title ?? t("shared.failed")}</b> {callErrorText(error)}
    </Banner>
  );
}
