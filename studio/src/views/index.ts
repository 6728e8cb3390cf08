// Every view by name, loaded on first use. A view default-exports a component with `ViewProps`.
import type { ComponentType } from "preact";
import type { AgentEntry } from "../generated/protocol";
import type { Route, Tab } from "../state/route";

export type ViewName = "chat" | Tab;

export type ViewProps = {
  /** The agent in view; in gateway views, the one whose settings were open. */
  agent: AgentEntry;
  route: Route;
};

type Module = { default: ComponentType<ViewProps> };

export const views: Record<ViewName, () => Promise<Module>> = {
  chat: () => import("./chat"),
  behavior: () => import("./behavior"),
  capabilities: () => import("./capabilities"),
  skills: () => import("./skills"),
  automations: () => import("./automations"),
  advanced: () => import("./advanced"),
  setup: () => import("./setup"),
  apps: () => import("./apps"),
  logs: () => import("./logs"),
  about: () => import("./about"),
};
