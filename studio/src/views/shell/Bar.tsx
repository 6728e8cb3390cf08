// The top bar: logo, connection, language and theme.
import { link } from "../../gateway/link";
import { Button, Icon, Link } from "../../components";
import { language, nextTheme, theme } from "../../state/preferences";
import { t } from "../../words";

/** `menu`: whether the left column is open on a narrow screen, and how to toggle it. */
export function Bar({ menu }: { menu?: { open: boolean; toggle: () => void } }) {
  return (
    <header class="bar">
      {menu && (
        <Button
          kind="quiet"
          icon={menu.open ? "x" : "menu"}
          class="only-narrow"
          label={menu.open ? t("shared.closeNavigation") : t("shared.openNavigation")}
          expanded={menu.open}
          controls="side"
          onClick={menu.toggle}
        />
      )}
      <Link to={{ view: "chat" }} class="brand" label="Tarsus Studio">
        <Mark />
        <span>
          Tarsus <span class="sub">{t("shared.studio")}</span>
        </span>
      </Link>
      <span class="grow" />
      <Connection />
      <button
        type="button"
        class="btn quiet sm"
        lang={language.value === "zh" ? "en" : "zh"}
        aria-label={t("shared.language")}
        onClick={() => (language.value = language.value === "zh" ? "en" : "zh")}
      >
        {t("shared.languageShort")}
      </button>
      <ThemeButton />
    </header>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 20 20" aria-hidden="true">
      <rect width="20" height="20" rx="5" fill="var(--text)" />
      <path
        d="M5 6.500h10M10 6.500v4a3.500 3.500 0 0 0 3.500 3.500"
        fill="none"
        stroke="var(--surface)"
        stroke-width="2"
        stroke-linecap="round"
      />
    </svg>
  );
}

function Connection() {
  const now = link.value;
  const isReady = now.state === "ready";
  const text = isReady
    ? t("shared.connected")
    : now.state === "connecting"
      ? t("shared.connecting")
      : t("shared.disconnected");
  return (
    <span class={isReady ? "conn" : "conn off"} role="status">
      <Icon name={isReady ? "plug" : "unplug"} />
      <span class="conn-text">{text}</span>
      {isReady && <span class="sr">{t("shared.toGateway", { version: now.hello.server.version })}</span>}
    </span>
  );
}

function ThemeButton() {
  const now = theme.value;
  const label = now === "system" ? t("shared.themeSystem") : now === "light" ? t("shared.themeLight") : t("shared.themeDark");
  const icon = now === "system" ? "theme" : now === "light" ? "sun" : "moon";
  return <Button kind="quiet" small icon={icon} label={label} title={label} onClick={() => (theme.value = nextTheme(now))} />;
}
