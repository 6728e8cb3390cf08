import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import type { CatalogTool } from "../src/generated/protocol";
import type { Gateway } from "./harness/gateway";
import { asPerson, expect, heldToast, test } from "./harness";

const HERE = "/?settingsAgentId=main&settingsTab=capabilities";
const tool = (page: Page, name: string) => page.getByRole("switch", { name: `Tool ${name}`, exact: true });

async function catalogTool(gateway: Gateway, name: string): Promise<CatalogTool | undefined> {
  const { groups } = await gateway.call("tools.catalog", { agentId: "main" });
  return groups.flatMap((group) => group.tools).find(({ id }) => id === name);
}

async function ownTools(gateway: Gateway): Promise<unknown> {
  const config = JSON.parse(await readFile(gateway.files.config, "utf8"));
  return config.agents?.list?.find((agent: { id: string }) => agent.id === "main")?.tools;
}

test("a denied tool is denied, and Undo allows it again", async ({ studio, gateway }) => {
  await studio.goto(HERE);
  await expect(tool(studio, "read")).toBeChecked();
  await tool(studio, "read").click();
  const toast = await heldToast(studio);
  await expect(toast).toContainText("main can no longer use the tool read.");
  await expect(tool(studio, "read")).not.toBeChecked();
  expect(await ownTools(gateway)).toEqual({ deny: ["read"] });
  expect(await catalogTool(gateway, "read")).toMatchObject({ allowed: false, reason: expect.stringContaining("agents.list[main].tools.deny") });
  await expect(studio.getByText("Denied by agents.list[main].tools.deny.")).toBeVisible();
  await toast.getByRole("button", { name: "Undo" }).click();
  await expect(tool(studio, "read")).toBeChecked();
  expect(await ownTools(gateway)).toBeUndefined();
  expect(await catalogTool(gateway, "read")).toMatchObject({ allowed: true });
});

test("a profile is chosen, and a tool is added to it, by the keyboard alone", async ({ studio, gateway }) => {
  const person = asPerson(studio);
  await studio.goto(HERE);
  await person.tabTo(studio.getByRole("radio", { name: "Default for all agents" }));
  await person.press("ArrowRight");
  await expect(studio.getByText("main starts with the session status only.")).toBeVisible();
  await expect(tool(studio, "session_status")).toBeChecked();
  await expect(tool(studio, "read")).not.toBeChecked();
  await person.use(tool(studio, "read"), "Space");
  await expect(tool(studio, "read")).toBeChecked();
  expect(await ownTools(gateway)).toEqual({ profile: "minimal", alsoAllow: ["read"] });
  await person.use(studio.getByRole("button", { name: "Use the rules of all agents" }));
  await expect(tool(studio, "apps_list")).toBeChecked();
  expect(await ownTools(gateway)).toBeUndefined();
});

test.describe("what every agent lacks", () => {
  test.use({ scene: { config: { tools: { deny: ["app_launch"] }, agents: { list: [{ id: "main", tools: { deny: ["group:fs"], exec: { ask: "off" } } }] } } } });

  test("is not available to one agent, and the page says why", async ({ studio }) => {
    await studio.goto(HERE);
    await expect(tool(studio, "app_launch")).toBeDisabled();
    await expect(studio.getByText("Denied for every agent by tools.deny.")).toBeVisible();
  });

  test("a group is allowed again where it was denied, and other keys stay", async ({ studio, gateway }) => {
    await studio.goto(HERE);
    await expect(tool(studio, "read")).toBeDisabled();
    await expect(studio.locator("#why-read")).toContainText("Denied by group:fs below, together with other tools.");
    await studio.getByRole("button", { name: "Remove group:fs from “Deny”" }).click();
    await expect(tool(studio, "read")).toBeChecked();
    expect(await ownTools(gateway)).toEqual({ exec: { ask: "off" } });
    await studio.getByRole("button", { name: "Undo" }).click();
    await expect(tool(studio, "read")).not.toBeChecked();
    expect(await ownTools(gateway)).toEqual({ deny: ["group:fs"], exec: { ask: "off" } });
  });
});

test("a pattern is added to a list", async ({ studio, gateway }) => {
  await studio.goto(HERE);
  await studio.getByRole("textbox", { name: "Tool, group or pattern" }).fill("app_*");
  await studio.getByRole("button", { name: "Add" }).click();
  await expect(tool(studio, "app_launch")).not.toBeChecked();
  await expect(tool(studio, "apps_list")).toBeChecked();
  expect(await ownTools(gateway)).toEqual({ deny: ["app_*"] });
});

test("the needs of a community skill and what is enforced are shown", async ({ studio }) => {
  await studio.goto(HERE);
  const row = studio.getByRole("listitem").filter({ has: tool(studio, "app_launch") });
  await expect(row).toContainText("Third-party skills need shell");
  await expect(studio.getByText("Enforcement: active")).toBeVisible();
});

test.describe("commands", () => {
  const approvals = { version: 1, agents: { main: { allowlist: [{ pattern: "/usr/bin/git" }] }, ada: { allowlist: [{ pattern: "/usr/bin/rm" }] } } };
  test.use({ scene: { config: { tools: { exec: { security: "deny" } } }, files: { "exec-approvals.json": JSON.stringify(approvals) } } });

  test("are shown as they are configured, and that none runs", async ({ studio }) => {
    await studio.goto(HERE);
    const panel = studio.getByRole("region", { name: "Commands", exact: true });
    await expect(panel).toContainText("No commands run.");
    await expect(panel).toContainText("None (deny, set for all agents)");
    await expect(panel).toContainText("When a program is not on the list (on-miss, default");
    await expect(panel).toContainText("1 command is approved for main.");
    await expect(panel).toContainText("/usr/bin/git");
    await expect(panel).not.toContainText("/usr/bin/rm");
  });
});

test("a failed change is reported on its row, and the list stays", async ({ studio, gateway }) => {
  await studio.goto(HERE);
  await expect(tool(studio, "read")).toBeChecked();
  await gateway.writeFile(gateway.files.config, "{ broken");
  await tool(studio, "read").click();
  const row = studio.getByRole("listitem").filter({ has: tool(studio, "read") });
  await expect(row.getByRole("alert")).toContainText("Changes were not saved.");
  await expect(tool(studio, "apps_list")).toBeVisible();
});
