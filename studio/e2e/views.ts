// Every view: its address and its heading.
import { type Page, expect } from "@playwright/test";
import { connected } from "./harness";

export const settingsTabs = {
  behavior: "Behavior",
  capabilities: "Capabilities",
  skills: "Skills",
  automations: "Automations",
  advanced: "Advanced",
  setup: "System setup",
  apps: "Applications",
  logs: "Logs",
  about: "About",
} as const;

export type ViewName = "chat" | keyof typeof settingsTabs;

export const viewNames = ["chat", ...Object.keys(settingsTabs)] as ViewName[];

export const addressOf = (view: ViewName): string => (view === "chat" ? "/" : `/?settingsTab=${view}`);

/** Opens a view and waits until it shows the gateway's data, in any language. */
export async function openView(page: Page, view: ViewName): Promise<void> {
  await page.goto(addressOf(view));
  await connected(page);
  if (view === "chat") await expect(page.locator("#msg")).toBeVisible();
  else await expect(page.locator("main h1").first()).toBeVisible();
  await settled(page);
}

/** Nothing is loading. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator("main [aria-busy=true], main .loading")).toHaveCount(0);
}
