// Applications: registering, launching, stopping and forbidding, with a program that runs.
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { asPerson, connected, expect, test as base } from "./harness";
import { App } from "./harness/app";
import { barriers } from "./harness/axe";
import type { Gateway } from "./harness/gateway";

const test = base.extend<{ app: App }>({
  app: async ({ gateway }, use) => {
    const app = await App.make(gateway.files.home);
    await use(app);
    await app.end();
  },
});

const agents = { list: [{ id: "main", default: true, name: "Main" }, { id: "writer", name: "Writer" }] };
test.use({ scene: { config: { agents } } });

type Registry = Record<string, unknown>;

const register = (gateway: Gateway, apps: Registry) => gateway.writeFile(gateway.files.registry, JSON.stringify(apps, null, 2));
const registered = async (gateway: Gateway) => JSON.parse(await readFile(gateway.files.registry, "utf8")) as Registry;

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
const named = (scope: Page | Locator, name: string) => scope.getByRole("button", { name, exact: true });

async function open(page: Page): Promise<void> {
  await page.goto("/?settingsTab=apps");
  await connected(page);
}

async function choose(page: Page, app: string, item: string): Promise<void> {
  await named(page, `More for ${app}`).click();
  await page.getByRole("menuitem", { name: item }).click();
}

test("without a registry one is created, an app is added, launched and stopped", async ({ studio, gateway, app }) => {
  await open(studio);
  await expect(studio.getByRole("heading", { name: "No registry yet" })).toBeVisible();
  await named(studio, "Create the registry").click();
  await expect(studio.getByRole("heading", { name: "No applications yet" })).toBeVisible();
  await named(studio, "Add application").last().click();

  const dialog = studio.getByRole("dialog", { name: "Add an application" });
  await expect(named(dialog, "Save entry")).toBeDisabled();
  await dialog.getByLabel("Name", { exact: true }).fill("Last Z");
  await dialog.getByLabel("Launch path").fill(app.launchPath);
  await dialog.getByLabel("Process name").fill(app.process);
  await dialog.getByLabel("Any agent").check();
  const proposed = dialog.getByRole("region", { name: "Proposed entry" });
  await expect(proposed).toContainText(app.launchPath);
  await expect(dialog).toContainText("Every agent may launch Last Z.");
  await named(dialog, "Save entry").click();
  await expect(dialog).toBeHidden();
  expect(await registered(gateway)).toEqual({ "Last Z": app.entry("full") });

  const row = rowOf(studio, "Last Z");
  await expect(row).toContainText("Any agent");
  await expect(row).toContainText("Not running");
  await expect(row).toContainText("Never");
  await named(row, "Launch Last Z").click();
  await expect(studio.getByText(/^Started, pid \d+\.$/)).toBeVisible();
  // The script has its name before it becomes the program.
  await expect.poll(() => app.pids()).toHaveLength(1);
  const [pid] = await app.pids();
  await expect(row).toContainText(`Running, pid ${pid}`);
  await expect(row).toContainText("by Main");
  await named(row, "Stop Last Z").click();
  await expect(studio.getByText(`Stopped, pid ${pid}.`)).toBeVisible();
  await expect(row).toContainText("Not running");
  expect(await app.pids()).toEqual([]);
});

test("a refused launch shows the policy and what would allow it; the policy is changed from there", async ({ studio, gateway, app }) => {
  await register(gateway, { "Last Z": app.entry("allowlist", ["writer"]) });
  await open(studio);
  await named(studio, "Launch Last Z").click();
  const refusal = studio.getByRole("alert");
  await expect(refusal).toContainText("Refused: Main may not launch Last Z.");
  await expect(refusal).toContainText("Policy: allowlist: writer");
  await expect(refusal).toContainText('tarsus apps policy "Last Z" --mode allowlist --allow writer --allow main');
  expect(await app.pids()).toEqual([]);

  await named(refusal, "Change policy").click();
  const dialog = studio.getByRole("dialog", { name: "Change the launch policy of Last Z" });
  await expect(dialog).toContainText("Nothing changes.");
  await dialog.getByLabel("Any agent").check();
  const proposed = dialog.getByRole("region", { name: "Proposed entry" });
  await expect(proposed.locator("dt", { hasText: "changed" })).toHaveText(["mode · changed", "allowed_agents · changed"]);
  await expect(dialog).toContainText(
    "Every agent may launch Last Z. Before, only writer could. The list of agents is cleared.",
  );
  await named(dialog, "Save entry").click();
  await expect(dialog).toBeHidden();
  expect(await registered(gateway)).toEqual({ "Last Z": app.entry("full") });
});

test("the chosen agent is the one that launches", async ({ studio, gateway, app }) => {
  await register(gateway, { "Last Z": app.entry("allowlist", ["writer"]) });
  await open(studio);
  await studio.getByLabel("Launch as").selectOption("Writer");
  await named(studio, "Launch Last Z").click();
  await expect(studio.getByText(/^Started, pid \d+\.$/)).toBeVisible();
  await expect(rowOf(studio, "Last Z")).toContainText("by Writer");
});

test("an app that is off is stopped only after a yes", async ({ studio, gateway, app }) => {
  await register(gateway, { "Last Z": app.entry("full") });
  await gateway.call("apps.launch", { name: "Last Z" });
  await register(gateway, { "Last Z": app.entry("off") });
  await open(studio);
  await named(studio, "Stop Last Z").click();
  await named(studio.getByRole("alertdialog"), "Stop Last Z").click();
  await expect(studio.getByText(/^Stopped, pid \d+\.$/)).toBeVisible();
  await expect(named(studio, "Launch Last Z")).toBeDisabled();
});

test("editing previews the entry; a changed registry is reported and read again", async ({ studio, gateway, app }) => {
  await register(gateway, { "Last Z": { ...app.entry("full"), colour: "red" } });
  await open(studio);
  await choose(studio, "Last Z", "Edit");
  const dialog = studio.getByRole("dialog", { name: "Edit Last Z" });
  await dialog.getByLabel("Launch path").fill("/opt/last-z/start");
  const current = dialog.getByRole("region", { name: "Current entry" });
  await expect(current).toContainText(app.launchPath);
  await expect(dialog).toContainText("The next launch starts /opt/last-z/start.");

  await register(gateway, { "Last Z": { ...app.entry("off"), colour: "red" } });
  await named(dialog, "Save entry").click();
  await expect(dialog.getByRole("alert")).toContainText("Not saved. The registry changed in the meantime.");
  await expect(current).toContainText("off");
  expect((await registered(gateway))["Last Z"]).toMatchObject({ launch_path: app.launchPath, mode: "off" });

  await named(dialog, "Save entry").click();
  await expect(dialog).toBeHidden();
  expect((await registered(gateway))["Last Z"]).toEqual({ ...app.entry("full"), launch_path: "/opt/last-z/start", colour: "red" });
});

test("a name that is there already leads to editing", async ({ studio, gateway, app }) => {
  await register(gateway, { "Last Z": app.entry("full") });
  await open(studio);
  await named(studio, "Add application").click();
  await studio.getByLabel("Name", { exact: true }).fill(" last  z");
  await named(studio, "Edit Last Z instead").click();
  await expect(studio.getByRole("dialog", { name: "Edit Last Z" }).getByLabel("Launch path")).toHaveValue(app.launchPath);
});

test("validating shows four groups with every reason, and repairs nothing", async ({ studio, gateway, app }) => {
  const apps = {
    Good: app.entry("full"),
    Odd: app.entry("full", ["writer"]),
    Bare: { mode: "full", allowed_agents: [] },
    Wrong: { launch_path: 7, mode: "full", allowed_agents: [] },
  };
  await register(gateway, apps);
  await open(studio);
  await named(studio, "Validate").click();
  const groups = studio.getByRole("region", { name: "Registry validation" }).last();
  await expect(groups.getByRole("heading")).toHaveText(["valid 1", "policy mismatch 1", "incomplete 1", "malformed 1"]);
  for (const [name, reason] of [["Odd", "allowed_agents"], ["Bare", "launch_path"], ["Wrong", "launch_path"]] as const) {
    await expect(groups.getByRole("listitem").filter({ hasText: name })).toContainText(reason);
  }
  expect(await registered(gateway)).toEqual(apps);
  await expect(named(studio, "Launch Bare")).toBeDisabled();
});

test("deleting says what happens, and takes the entry alone", async ({ studio, gateway, app }) => {
  await register(gateway, { "Last Z": app.entry("full"), Other: app.entry("off") });
  await open(studio);
  await choose(studio, "Last Z", "Delete");
  const ask = studio.getByRole("alertdialog", { name: "Delete Last Z from the registry?" });
  await expect(ask).toContainText("The program itself stays where it is.");
  await expect(ask).toContainText(app.launchPath);
  await named(ask, "Cancel").click();
  await expect(rowOf(studio, "Last Z")).toBeVisible();
  await choose(studio, "Last Z", "Delete");
  await named(ask, "Delete Last Z").click();
  await expect(rowOf(studio, "Last Z")).toBeHidden();
  await expect(studio.getByText("Last Z was removed from the registry.")).toBeVisible();
  expect(await registered(gateway)).toEqual({ Other: app.entry("off") });
});

test("a deleted app comes back by Undo, every byte of it, in its place", async ({ studio, gateway, app }) => {
  const entry = JSON.stringify({ ...app.entry("full"), colour: "red" });
  // Hand-written JSON: a number in an unusual form, and unknown fields.
  const text = `{\n  "First": ${JSON.stringify(app.entry("off"))},\n  "Last Z":   ${entry.replace('"red"', '"red", "weight": 2.50')},\n  "Other": null\n}\n`;
  await gateway.writeFile(gateway.files.registry, text);
  await open(studio);
  await choose(studio, "Last Z", "Delete");
  await named(studio.getByRole("alertdialog"), "Delete Last Z").click();
  await expect(rowOf(studio, "Last Z")).toBeHidden();
  await named(studio, "Undo").click();
  await expect(studio.getByText("Last Z was restored.")).toBeVisible();
  await expect(rowOf(studio, "Last Z")).toBeVisible();
  expect(await readFile(gateway.files.registry, "utf8")).toBe(text.replace('"Last Z":   ', '"Last Z": '));
});

test("an Undo does not touch an app that has the name by now, and says so where apps are", async ({ studio, gateway, app }) => {
  await register(gateway, { "Last Z": app.entry("full"), Other: app.entry("off") });
  await open(studio);
  await choose(studio, "Last Z", "Delete");
  await named(studio.getByRole("alertdialog"), "Delete Last Z").click();
  await expect(studio.getByText("Last Z was removed from the registry.")).toBeVisible();
  const anew = { Other: app.entry("off"), "last z": app.entry("off") };
  await register(gateway, anew);
  await expect(rowOf(studio, "last z")).toBeVisible();
  await studio.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Logs" }).click();
  await named(studio, "Undo").click();
  await expect(studio).toHaveURL(/settingsTab=apps/);
  await expect(studio.getByRole("alert")).toContainText('Last Z was not restored. an app named "last z" is already registered');
  expect(await registered(gateway)).toEqual(anew);
  await named(studio, "Dismiss").click();
  await expect(studio.getByRole("alert")).toBeHidden();
});

test("an Undo holds when something else of the registry changed meanwhile", async ({ studio, gateway, app }) => {
  await register(gateway, { "Last Z": app.entry("full") });
  await open(studio);
  await choose(studio, "Last Z", "Delete");
  await named(studio.getByRole("alertdialog"), "Delete Last Z").click();
  await expect(studio.getByText("Last Z was removed from the registry.")).toBeVisible();
  await register(gateway, { New: app.entry("off") });
  await expect(rowOf(studio, "New")).toBeVisible();
  await named(studio, "Undo").click();
  await expect(rowOf(studio, "Last Z")).toBeVisible();
  expect(await registered(gateway)).toEqual({ New: app.entry("off"), "Last Z": app.entry("full") });
});

test("while one app is launched only its row is busy", async ({ studio, gateway, app }) => {
  await register(gateway, { Slow: { ...app.entry("full"), process_name: "never-seen" }, Quick: app.entry("full") });
  await open(studio);
  const slow = rowOf(studio, "Slow");
  await named(slow, "Launch Slow").click();
  await expect(named(slow, "Launching… Slow")).toHaveAttribute("aria-busy", "true");
  await named(studio, "Launch Quick").click();
  await expect(rowOf(studio, "Quick")).toContainText("Running, pid");
  await expect(studio.getByText("Launch requested; no process never-seen appeared within 5 s.")).toBeVisible();
});

test("malformed JSON in the registry is shown with its position, and read again once fixed", async ({ studio, gateway, app }) => {
  await gateway.writeFile(gateway.files.registry, '{\n  "Last Z": oops\n}\n');
  await open(studio);
  await expect(studio.getByRole("alert")).toContainText("The registry could not be loaded.");
  await expect(studio.getByText(`${gateway.files.registry}:2:13`)).toBeVisible();
  await register(gateway, { "Last Z": app.entry("full") });
  await expect(rowOf(studio, "Last Z")).toBeVisible();
});

test("the search finds by name, path and agent, and survives a reload", async ({ studio, gateway, app }) => {
  await register(gateway, { "Last Z": app.entry("full"), 微信: { ...app.entry("allowlist", ["writer"]), launch_path: "/opt/wechat" } });
  await open(studio);
  await expect(rowOf(studio, "Last Z")).toBeVisible();
  await studio.keyboard.press("/");
  await studio.keyboard.type("writer wechat");
  await expect(rowOf(studio, "Last Z")).toBeHidden();
  await studio.reload();
  await connected(studio);
  await expect(rowOf(studio, "微信")).toBeVisible();
  await expect(rowOf(studio, "Last Z")).toBeHidden();
  await named(studio, "Clear search").click();
  await expect(rowOf(studio, "Last Z")).toBeVisible();
});

test("with the keyboard alone an app is added, launched, forbidden and deleted", async ({ studio, gateway, app }) => {
  await register(gateway, {});
  await open(studio);
  const person = asPerson(studio);
  await person.use(named(studio, "Add application").first());
  const dialog = studio.getByRole("dialog", { name: "Add an application" });
  await expect(dialog.getByLabel("Name", { exact: true })).toBeFocused();
  await studio.keyboard.type("Last Z");
  await person.type(dialog.getByLabel("Launch path"), app.launchPath);
  await person.type(dialog.getByLabel("Process name"), app.process);
  await person.use(dialog.getByRole("checkbox", { name: "main" }), "Space");
  await person.use(named(dialog, "Save entry"));
  await expect(dialog).toBeHidden();
  await person.use(named(studio, "Launch Last Z"));
  await expect(studio.getByText(/^Started, pid \d+\.$/)).toBeVisible();
  await expect(rowOf(studio, "Last Z")).toContainText("Running, pid");

  await person.use(named(studio, "More for Last Z"));
  await expect(studio.getByRole("menuitem", { name: "Launch again" })).toBeFocused();
  await person.press("Escape");
  await expect(named(studio, "More for Last Z")).toBeFocused();
  await person.press("Enter", "End", "ArrowUp", "Enter");
  const policy = studio.getByRole("dialog", { name: "Change the launch policy of Last Z" });
  await person.tabTo(policy.getByRole("radio", { checked: true }));
  await person.press("ArrowRight");
  await person.use(named(policy, "Save entry"));
  await expect(policy).toBeHidden();
  await expect(rowOf(studio, "Last Z")).toContainText("Off");

  await expect(named(studio, "More for Last Z")).toBeFocused();
  await person.press("Enter", "End", "Enter");
  await person.use(named(studio.getByRole("alertdialog"), "Delete Last Z"));
  await expect(studio.getByRole("heading", { name: "No applications yet" })).toBeVisible();
  expect(await registered(gateway)).toEqual({});
});

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme });

    test("dialogs and expanded rows are accessible, on a narrow screen too", async ({ studio, gateway, app }) => {
      await register(gateway, { "Last Z": app.entry("allowlist", ["writer"]), Bare: { mode: "full" } });
      await studio.setViewportSize({ width: 375, height: 812 });
      await open(studio);
      await named(studio, "Launch Last Z").click();
      await expect(studio.getByRole("alert")).toBeVisible();
      await named(studio, "Validate").click();
      expect(await barriers(studio)).toEqual([]);
      expect(await studio.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
      for (const item of ["Edit", "Change policy", "Delete"]) {
        await choose(studio, "Last Z", item);
        await expect(studio.locator("dialog[open]")).toBeVisible();
        expect(await barriers(studio), item).toEqual([]);
        await studio.keyboard.press("Escape");
        await expect(studio.locator("dialog[open]")).toHaveCount(0);
      }
    });
  });
}
