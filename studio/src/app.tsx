// The frame of the page: bar, left column, main. Before there is a connection, views/connect takes its place.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { hello, link } from "./gateway/link";
import { goToRegion } from "./components/keys";
import { Toasts } from "./components/Toast";
import { agentInView, agents } from "./state/agents";
import { isGatewayTab, route, viewName } from "./state/route";
import { Connect } from "./views/connect";
import { Bar } from "./views/shell/Bar";
import { Boundary } from "./views/shell/Boundary";
import { ChatNav } from "./views/shell/ChatNav";
import { NewAgent } from "./views/shell/NewAgent";
import { Notices } from "./views/shell/Notices";
import { SettingsNav } from "./views/shell/SettingsNav";
import { View } from "./views/shell/View";
import { Empty, ErrorState, Loading } from "./components";
import { t } from "./words";

export function App() {
  const now = link.value;
  const wasConnected = hello.value !== undefined;
  // The last data stays while the gateway is away; a refusal or another live tab replaces the page.
  const showsFrame = now.state === "ready" || (wasConnected && (now.state === "waiting" || now.state === "connecting"));
  return (
    <Boundary>
      {showsFrame ? <Frame /> : <Connect link={now} />}
      <Toasts />
    </Boundary>
  );
}

function Frame() {
  const menu = useSignal(false);
  const to = route.value;
  const name = viewName.value;
  const isChat = name === "chat";
  const { agent } = agentInView.value;
  const close = () => (menu.value = false);
  const main = useRef<HTMLElement>(null);
  useFrameKeys(close);
  useFocusOnChange(main, name);
  return (
    <>
      <a class="skip" href={isChat ? "#msg" : "#main"} onClick={(event) => skipTo(event, isChat)}>
        {isChat ? t("shared.skipMessage") : t("shared.skip")}
      </a>
      <div class="app">
        <Bar menu={{ open: menu.value, toggle: () => (menu.value = !menu.value) }} />
        {menu.value && <div class="side-scrim only-narrow" onClick={close} />}
        <nav
          id="side"
          class={menu.value ? "side open" : "side"}
          aria-label={isChat ? t("shared.agentsAndSessions") : t("shared.settings")}
          data-region="navigation"
        >
          {agent && to.view === "chat" && <ChatNav agent={agent} session={to.session} onFollow={close} />}
          {agent && to.view === "settings" && <SettingsNav agent={agent} route={to} onFollow={close} />}
        </nav>
        <main
          ref={main}
          id="main"
          // Without a connection, content can only be read: focusable, so that the keyboard scrolls it.
          tabIndex={link.value.state === "ready" ? -1 : 0}
          class={isChat ? "chat" : "main"}
          data-scope={!isChat && isGatewayTab(name) ? "gateway" : "agent"}
          // The chat has its own regions.
          data-region={isChat ? undefined : "content"}
        >
          <Notices />
          <StaleOverlay>{agent ? <View name={name} agent={agent} route={to} /> : <NoAgent />}</StaleOverlay>
        </main>
      </div>
      <NewAgent onCreated={close} />
    </>
  );
}

/** Without a connection the last data stays, greyed out and inert. The chat keeps its text field and shows the state itself. */
function StaleOverlay({ children }: { children: ComponentChildren }) {
  if (viewName.value === "chat") return <>{children}</>;
  const isStale = link.value.state !== "ready";
  return (
    <div class={isStale ? "stale" : undefined} inert={isStale}>
      {children}
    </div>
  );
}

function NoAgent() {
  const state = agents.state.value;
  return (
    <div class="page" data-loading={state.state === "loading" ? "" : undefined}>
      {state.state === "loading" && <Loading />}
      {state.state === "failed" && <ErrorState error={state.error} onRetry={() => void agents.reload()} />}
      {state.state === "ready" && <Empty icon="users" title={t("shared.noAgents")} />}
    </div>
  );
}

/** F6 moves between regions; Esc closes the navigation on a narrow screen. */
function useFrameKeys(closeMenu: () => void): void {
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === "F6") {
        event.preventDefault();
        goToRegion(event.shiftKey);
      }
      if (event.key === "Escape") closeMenu();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

/**
 * A new view starts at its top, and focus moves to it so that screen readers announce it; the first view leaves focus
 * alone. In a layout effect: later it would steal focus that has moved on.
 */
function useFocusOnChange(main: { current: HTMLElement | null }, name: string): void {
  const before = useRef(name);
  useLayoutEffect(() => {
    if (before.current === name) return;
    before.current = name;
    main.current?.scrollTo({ top: 0 });
    main.current?.focus({ preventScroll: true });
  }, [name]);
}

/** Leaves the address alone: its fragment is for the token. */
function skipTo(event: Event, isChat: boolean): void {
  event.preventDefault();
  const target = (isChat && document.getElementById("msg")) || document.getElementById("main");
  target?.focus();
}
