// The Logs view: entries appear live, and the audit chain is verified.
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import { asPerson, connected, expect, test } from "./harness";
import { barriers } from "./harness/axe";
import type { Gateway } from "./harness/gateway";

const entry = (mode: string) => ({ launch_path: "/bin/true", mode, allowed_agents: [] });
const rows = (page: Page) => page.getByRole("list", { name: "Log, newest first" }).getByRole("listitem");
const filter = (page: Page, name: string) => page.getByRole("button", { name: new RegExp(`^${name}\\s*[\\d,]*$`) });

async function open(page: Page): Promise<void> {
  await page.goto("/?settingsTab=logs");
  await connected(page);
}

/** One launch that succeeds and one that is refused. */
async function launchAndBeRefused(gateway: Gateway): Promise<void> {
  await gateway.writeFile(gateway.files.registry, JSON.stringify({ Clock: entry("full"), Steam: entry("off") }));
  await gateway.call("apps.launch", { name: "Clock" });
  await gateway.call("apps.launch", { name: "Steam" }).catch(() => {});
}

async function chainFile(gateway: Gateway): Promise<string> {
  const folder = join(gateway.files.state, "tarsus", "audit");
  const [month] = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
  return join(folder, month ?? "");
}

test("Security shows the launch and the refusal, with agent and number", async ({ studio, gateway }) => {
  await launchAndBeRefused(gateway);
  await open(studio);
  await filter(studio, "Security").click();
  const refused = rows(studio).filter({ hasText: "app launch denied" });
  await expect(refused).toContainText("Warning");
  await expect(refused).toContainText("Steam: Steam is off: nobody may launch or stop it");
  await expect(rows(studio).filter({ hasText: "app launched" })).toContainText("Clock: requested");
  await expect(rows(studio).filter({ hasText: "app launch allowed" })).toContainText("main");
  await expect(rows(studio).filter({ hasText: "ready port=" })).toHaveCount(0);
});

test("level, category and search narrow the list together, and survive a reload", async ({ studio, gateway }) => {
  await launchAndBeRefused(gateway);
  await open(studio);
  await expect(rows(studio).filter({ hasText: "ready port=" })).toHaveCount(1);
  await filter(studio, "Gateway").click();
  await expect(rows(studio).filter({ hasText: "app launch denied" })).toHaveCount(0);
  await filter(studio, "All").click();
  await filter(studio, "Warning").click();
  await studio.keyboard.press("/");
  await studio.keyboard.type("steam");
  await expect(rows(studio)).toHaveCount(1);
  await studio.reload();
  await expect(rows(studio)).toHaveCount(1);
  await expect(rows(studio)).toContainText("app launch denied");
  await studio.getByLabel("Search the log").fill("nothing has this");
  await expect(studio.getByRole("heading", { name: "No entry matches" })).toBeVisible();
  await studio.getByRole("button", { name: "Show everything" }).click();
  await expect(rows(studio).filter({ hasText: "ready port=" })).toHaveCount(1);
});

test("what happens appears by itself; paused it is counted, and shown on follow", async ({ studio, gateway }) => {
  await open(studio);
  await filter(studio, "Security").click();
  await launchAndBeRefused(gateway);
  await expect(rows(studio).filter({ hasText: "app launch denied" })).toHaveCount(1);
  await studio.getByRole("button", { name: "Pause" }).click();
  await gateway.call("apps.launch", { name: "Steam" }).catch(() => {});
  await expect(studio.getByText("Paused, 1 new")).toBeVisible();
  await expect(rows(studio).filter({ hasText: "app launch denied" })).toHaveCount(1);
  await studio.getByRole("button", { name: "Follow", exact: true }).click();
  await expect(rows(studio).filter({ hasText: "app launch denied" })).toHaveCount(2);
});

test("an entry expands to all its fields, and can be copied", async ({ studio, gateway, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write", "local-network-access"], { origin: gateway.origin });
  await launchAndBeRefused(gateway);
  await open(studio);
  await filter(studio, "Security").click();
  const opener = studio.getByRole("button", { name: "Details of app launch denied" });
  await opener.click();
  await expect(opener).toHaveAttribute("aria-expanded", "true");
  const row = rows(studio).filter({ hasText: "app launch denied" });
  await expect(row).toContainText('"decision": "denied"');
  await row.getByRole("button", { name: "Copy this line" }).click();
  const copied = () => studio.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).not.toBe("");
  expect(JSON.parse(await copied())).toMatchObject({ event: "app.launch", app: "Steam", decision: "denied" });
});

test("what is shown is exported, one record a line", async ({ studio, gateway }) => {
  await launchAndBeRefused(gateway);
  await open(studio);
  await filter(studio, "Security").click();
  await filter(studio, "Warning").click();
  await expect(rows(studio)).toHaveCount(1);
  const saved = studio.waitForEvent("download");
  await studio.getByRole("button", { name: "Export" }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe("tarsus-log.jsonl");
  const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(["app.launch"]);
});

test("the audit chain is verified through its last entry; one changed line is said plainly", async ({ studio, gateway }) => {
  await launchAndBeRefused(gateway);
  const file = await chainFile(gateway);
  const text = await readFile(file, "utf8");
  const count = text.trimEnd().split("\n").length;
  await open(studio);
  const chain = studio.getByRole("region", { name: "Audit chain" });
  await expect(chain).toContainText(`Audit chain verified through entry ${count}`);

  await writeFile(file, text.replace('"app":"Steam"', '"app":"Stean"'));
  await chain.getByRole("button", { name: "Verify now" }).click();
  await expect(chain.getByRole("alert")).toContainText("The audit chain is broken");
  expect(await barriers(studio)).toEqual([]);
  await expect(chain).toContainText(`${file}:${count}`);
});

test("an audit log whose files were deleted is said plainly", async ({ studio, gateway }) => {
  await launchAndBeRefused(gateway);
  const file = await chainFile(gateway);
  await open(studio);
  const chain = studio.getByRole("region", { name: "Audit chain" });
  await expect(chain).toContainText("Audit chain verified through entry");

  await Promise.all([file, join(dirname(file), "head.json")].map((path) => rm(path)));
  await chain.getByRole("button", { name: "Verify now" }).click();
  await expect(chain.getByRole("alert")).toContainText("The audit chain is broken");
  await expect(chain).toContainText("the files of the audit log were removed");
});

test.describe("a long log", () => {
  const line = (number: number) =>
    JSON.stringify({
      timestamp: new Date(1_700_000_000_000 + number * 1000).toISOString(),
      level: "DEBUG",
      fields: { message: `line ${number}` },
      target: "tarsus_agent::turn",
    });
  const lines = Array.from({ length: 1500 }, (_, number) => `${line(number)}\n`);
  test.use({ scene: { files: { "logs/tarsus.log": lines.join("") } } });

  test("renders only visible rows, and End leads to its last entry", async ({ studio }) => {
    await open(studio);
    await filter(studio, "Agent").click();
    const newest = studio.getByRole("button", { name: "Details of line 1499" });
    await expect(newest).toBeVisible();
    expect(await rows(studio).count()).toBeLessThan(150);
    await asPerson(studio).tabTo(newest);
    await studio.keyboard.press("End");
    await expect(studio.getByRole("button", { name: "Details of line 0", exact: true })).toBeFocused();
    await expect(studio.getByText(/^Paused/)).toBeVisible();
  });
});
