// The route: read from the address and written to it, so that every view has a link.
// An unknown address leads to the chat; unknown parts are dropped.
import { computed, signal } from "@preact/signals";

export const agentTabs = ["behavior", "capabilities", "skills", "automations", "advanced"] as const;
export const gatewayTabs = ["setup", "apps", "logs", "about"] as const;

export type AgentTab = (typeof agentTabs)[number];
export type GatewayTab = (typeof gatewayTabs)[number];
export type Tab = AgentTab | GatewayTab;

export type ChatRoute = { view: "chat"; session?: string };
export type SettingsRoute = {
  view: "settings";
  /** The agent; the default one if not set. */
  agentId?: string;
  tab: Tab;
  /** The linked skill. */
  skill?: string;
  /** Another linked item: an application, a job, a file. */
  item?: string;
};
export type Route = ChatRoute | SettingsRoute;

export const isGatewayTab = (tab: string): tab is GatewayTab => (gatewayTabs as readonly string[]).includes(tab);
const isAgentTab = (tab: string): tab is AgentTab => (agentTabs as readonly string[]).includes(tab);

const SETTINGS_OF_AGENT = /^\/agents\/([^/]+)\/settings\/?$/;
const DEFAULT_TAB: Tab = "skills";

export function routeOf(address: { pathname: string; search: string }): Route {
  const query = new URLSearchParams(address.search);
  const text = (name: string) => query.get(name)?.slice(0, 512) || undefined;
  const inPath = SETTINGS_OF_AGENT.exec(address.pathname)?.[1];
  const agentId = inPath ? decodeOrKeep(inPath) : text("settingsAgentId");
  const tab = text("settingsTab");
  if (agentId || tab) {
    const known = tab && (isAgentTab(tab) || isGatewayTab(tab)) ? tab : DEFAULT_TAB;
    return settings(known, { agentId, skill: text("skill"), item: text("item") });
  }
  const session = text("session");
  return session ? { view: "chat", session } : { view: "chat" };
}

export function hrefOf(to: Route): string {
  const query = new URLSearchParams();
  const add = (name: string, value: string | undefined) => value && query.set(name, value);
  if (to.view === "chat") {
    add("session", to.session);
  } else {
    add("settingsAgentId", to.agentId);
    add("settingsTab", to.tab);
    add("skill", to.skill);
    add("item", to.item);
  }
  const text = query.toString().replaceAll("%3A", ":");
  return text ? `/?${text}` : "/";
}

/** A route to settings; undefined values are left out. */
export function settings(
  tab: Tab,
  more: { agentId?: string | undefined; skill?: string | undefined; item?: string | undefined } = {},
): SettingsRoute {
  const { agentId, skill, item } = more;
  return { view: "settings", tab, ...(agentId && { agentId }), ...(skill && { skill }), ...(item && { item }) };
}

const here = () => globalThis.location ?? { pathname: "/", search: "" };

export const route = signal<Route>(routeOf(here()));

/** The name of the view. */
export const viewName = computed(() => (route.value.view === "chat" ? "chat" : route.value.tab));

/** Called before the page navigates; false stays. */
export type Guard = (to: Route) => boolean;

let guard: Guard | undefined;

/** Registers the guard of the current view; the returned function removes it. One at a time. */
export function guardLeaving(ask: Guard): () => void {
  guard = ask;
  return () => {
    if (guard === ask) guard = undefined;
  };
}

/** Navigates. `replace` adds no history entry. */
export function go(to: Route, options: { replace?: boolean } = {}): void {
  if (guard && !guard(to)) return;
  const href = hrefOf(to);
  if (options.replace || href === location.pathname + location.search) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  route.value = to;
}

/** Follows the browser's history; an address with a canonical form gets it. */
export function followAddress(): void {
  const follow = () => {
    const to = routeOf(location);
    // The step back has happened already: restore the address.
    if (guard && !guard(to)) history.pushState(null, "", hrefOf(route.peek()));
    else route.value = to;
  };
  window.addEventListener("popstate", follow);
  follow();
  if (location.pathname !== "/") history.replaceState(null, "", hrefOf(route.peek()));
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
