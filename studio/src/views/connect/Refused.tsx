// The gateway refused the page: why, and what to do about it.
import { useState } from "preact/hooks";
import { reconnect, useToken } from "../../gateway/link";
import type { Refusal } from "../../gateway/refusal";
import { Button, Command } from "../../components";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { gatewayText } from "../../words/gateway-text";
import { Screen } from "./Screen";

const TOKEN_FILE = "~/.openclaw/tarsus/gateway.token";

export function Refused({ refusal }: { refusal: Refusal }) {
  switch (refusal.kind) {
    case "token":
      return <TokenForm code={refusal.code ?? ""} />;
    case "protocol":
      return (
        <Screen icon="warn" title={t("connect.protocol")}>
          <p>{t("connect.protocolMore")}</p>
          <Command text="tarsus gateway restart" />
          <div class="btns">
            <Button kind="primary" onClick={() => location.reload()}>
              {t("connect.reload")}
            </Button>
          </div>
        </Screen>
      );
    case "origin":
      return (
        <Screen icon="shieldx" title={t("connect.origin")}>
          <p>
            {rich("connect.originMore", {
              address: <code>{`http://127.0.0.1:${location.port || "18789"}/`}</code>,
              here: <code>{location.origin}</code>,
              key: "gateway.controlUi.allowedOrigins",
            })}
          </p>
          <RetryButton />
        </Screen>
      );
    case "device":
      return (
        <Screen icon="key" title={t("connect.device")}>
          <p>{t("connect.deviceMore")}</p>
          <GatewayMessage message={refusal.message} />
          <RetryButton />
        </Screen>
      );
    case "pairing":
      return (
        <Screen icon="key" title={t("connect.pairing")}>
          <p>{t("connect.pairingMore")}</p>
          <RetryButton />
        </Screen>
      );
    case "other":
      return (
        <Screen icon="warn" title={t("connect.other")}>
          <GatewayMessage message={refusal.message} />
          <RetryButton />
        </Screen>
      );
  }
}

function TokenForm({ code }: { code: string }) {
  const [token, setToken] = useState("");
  const isPassword = code.includes("PASSWORD");
  const wasWrong = code.endsWith("MISMATCH");
  return (
    <Screen icon="key" title={isPassword ? t("connect.password") : t("connect.token")}>
      <p>
        {isPassword
          ? rich("connect.passwordMore", { key: "gateway.auth.password" })
          : rich("connect.tokenMore", { file: TOKEN_FILE })}
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim()) useToken(token);
        }}
      >
        <div class="field">
          <label for="token">{isPassword ? t("connect.passwordField") : t("connect.tokenField")}</label>
          <input
            id="token"
            class="input mono"
            type="password"
            autocomplete="off"
            autofocus
            value={token}
            aria-invalid={wasWrong ? "true" : undefined}
            aria-describedby="token-hint"
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          {wasWrong && (
            <p class="bad" role="alert">
              {isPassword ? t("connect.passwordWrong") : t("connect.tokenWrong")}
            </p>
          )}
          <p class="hint" id="token-hint">
            {t("connect.tokenKept")}
          </p>
        </div>
        <div class="btns">
          <Button kind="primary" type="submit" disabled={!token.trim()}>
            {t("connect.use")}
          </Button>
        </div>
      </form>
    </Screen>
  );
}

function GatewayMessage({ message }: { message: string }) {
  return <p>{rich("connect.response", { message: <>{gatewayText(message)}</> })}</p>;
}

function RetryButton() {
  return (
    <div class="btns">
      <Button kind="primary" onClick={reconnect}>
        {t("shared.tryAgain")}
      </Button>
    </div>
  );
}
