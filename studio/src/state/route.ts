// Where the page is: read from the address, written to it, so that every view has a link of its own.
// Promises: an address that nobody knows leads to the chat; what a view does not know stays out of it.
import { computed, signal } from "@preact/signals";

export const agentTabs = ["behavior", "capabilities", "skills", "automations", "advanced"] as const;
export const gatewayTabs = ["setup", "apps", "logs", "about"] as const;

export type AgentTab = (typeof agentTabs)[number];
export type GatewayTab = (typeof gatewayTabs)[number];
export type Tab = AgentTab | GatewayTab;

export type ChatRoute = { view: "chat"; session?: string };
export type SettingsRoute = {
  view: "settings";
  /** Whose settings; the default agent's when not set. */
  agentId?: string;
  tab: Tab;
  /** The skill that a link points at. */
  skill?: string;
  /** What else a link may point at: an application, a job, a file. */
  item?: string;
};
export type Route = ChatRoute | SettingsRoute;

export const isGatewayTab = (tab: string): tab is GatewayTab => (gatewayTabs as readonly string[]).includes(tab);
const isAgentTab = (tab: string): tab is AgentTab => (agentTabs as readonly string[]).includes(tab);

const SETTINGS_OF_AGENT = /^\/agents\/([^/]+)\/settings\/?$/;
const DEFAULT_TAB: Tab = "skills";

/** The route of an address. */
export function routeOf(address: { pathname: string; search: string }): Route {
  const query = new URLSearchParams(address.search);
  const text = (name: string) => query.get(name)?.slice(0, 512) || undefined;
  const inPath = SETTINGS_OF_AGENT.exec(address.pathname)?.[1];
  const agentId = inPath ? decoded(inPath) : text("settingsAgentId");
  const tab = text("settingsTab");
  if (agentId || tab) {
    const known = tab && (isAgentTab(tab) || isGatewayTab(tab)) ? tab : DEFAULT_TAB;
    return settings(known, { agentId, skill: text("skill"), item: text("item") });
  }
  const session = text("session");
  return session ? { view: "chat", session } : { view: "chat" };
}

/** The address of a route. */
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

/** A route to settings; what is undefined is left out. */
export function settings(
  tab: Tab,
  more: { agentId?: string | undefined; skill?: string | undefined; item?: string | undefined } = {},
): SettingsRoute {
  const { agentId, skill, item } = more;
  return { view: "settings", tab, ...(agentId && { agentId }), ...(skill && { skill }), ...(item && { item }) };
}

const here = () => globalThis.location ?? { pathname: "/", search: "" };

export const route = signal<Route>(routeOf(here()));

/** The name of the view that is shown. */
export const viewName = computed(() => (route.value.view === "chat" ? "chat" : route.value.tab));

/** Asked before the page goes elsewhere; false keeps it where it is. */
export type Guard = (to: Route) => boolean;

let guard: Guard | undefined;

/** Has `ask` decide whether the page may leave; the answer ends that. One at a time: the view that is shown. */
export function guardLeaving(ask: Guard): () => void {
  guard = ask;
  return () => {
    if (guard === ask) guard = undefined;
  };
}

/** Goes there. `replace` leaves no step back. */
export function go(to: Route, options: { replace?: boolean } = {}): void {
  if (guard && !guard(to)) return;
  const href = hrefOf(to);
  if (options.replace || href === location.pathname + location.search) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  route.value = to;
}

/** Follows the address from now on; one that has a better form gets it. */
export function followAddress(): void {
  const follow = () => {
    const to = routeOf(location);
    // The step back was made already: the address is put right again.
    if (guard && !guard(to)) history.pushState(null, "", hrefOf(route.peek()));
    else route.value = to;
  };
  window.addEventListener("popstate", follow);
  follow();
  if (location.pathname !== "/") history.replaceState(null, "", hrefOf(route.peek()));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
