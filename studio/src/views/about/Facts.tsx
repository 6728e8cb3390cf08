// Facts about the gateway: versions, addresses, files, and the state of the configuration.
import type { ComponentChildren } from "preact";
import type { StatusAnswer } from "../../generated/protocol";
import { hello } from "../../gateway/link";
import { Chip, CopyButton } from "../../components";
import { everyMinute } from "../../state/now";
import { listed, t } from "../../words";
import { configFaults } from "../../words/gateway/config";
import { chineseFor, withChinese } from "../../words/gateway-text";
import { duration } from "./duration";

/** `at`: when the status was loaded. */
export function Facts({ status, at }: { status: StatusAnswer; at: number }) {
  const { gateway, home } = status;
  const upMs = gateway.uptimeMs === null ? undefined : gateway.uptimeMs + Math.max(0, everyMinute.value - at);
  return (
    <>
      <section class="about-part" aria-labelledby="about-gateway">
        <h2 id="about-gateway">{t("about.gateway")}</h2>
        <dl class="about-facts">
          <Fact name={t("about.version")}>{gateway.version ?? status.version}</Fact>
          <Fact name={t("about.page")}>{t("about.pageVersion", { version: __STUDIO_VERSION__ })}</Fact>
          <Fact name={t("about.protocol")}>{t("about.protocolVersion", { version: String(hello.value?.protocol ?? "") })}</Fact>
          <Fact name={t("about.addresses")}>
            {gateway.addresses.map((address) => (
              <Path key={address} text={`http://${address}`} />
            ))}
          </Fact>
          {upMs !== undefined && <Fact name={t("about.uptime")}>{duration(upMs)}</Fact>}
          {gateway.pid !== null && <Fact name={t("about.process")}>{t("about.pid", { pid: String(gateway.pid) })}</Fact>}
        </dl>
      </section>
      <section class="about-part" aria-labelledby="about-files">
        <h2 id="about-files">{t("about.files")}</h2>
        <dl class="about-facts">
          <Fact name={t("about.stateDir")}>
            <Path text={home.stateDir} />
          </Fact>
          <Fact name={t("about.workspace")}>
            <Path text={home.workspace} />
          </Fact>
          <Fact name={t("about.config")}>
            <Path text={status.config.path} />
            <ConfigState status={status} />
          </Fact>
        </dl>
      </section>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Path({ text }: { text: string }) {
  return (
    <span class="about-path">
      <code>{text}</code>
      <CopyButton text={text} />
    </span>
  );
}

function ConfigState({ status: { config, gateway } }: { status: StatusAnswer }) {
  const restart = gateway.configReload?.needsRestart ?? [];
  return (
    <>
      <span class="btns">
        {!config.valid ? (
          <Chip kind="block" icon="warn">
            {t("about.configInvalid")}
          </Chip>
        ) : config.exists ? (
          <Chip kind="ready" icon="ok">
            {t("about.configValid")}
          </Chip>
        ) : (
          <Chip icon="info">{t("about.configMissing")}</Chip>
        )}
        {config.warnings.length > 0 && (
          <Chip kind="setup" icon="warn">
            {t("about.configWarnings", { n: config.warnings.length })}
          </Chip>
        )}
      </span>
      <ul class="about-issues">
        {[...config.issues, ...config.warnings].map((issue, index) => (
          <li key={index}>
            {issue.path && <code>{issue.path}</code>} {withChinese(chineseFor(configFaults, issue.code), issue.message)}
          </li>
        ))}
        {restart.length > 0 && <li>{t("about.needsRestart", { names: listed(restart) })}</li>}
      </ul>
    </>
  );
}
