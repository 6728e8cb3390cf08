// Details of the page: rows, usage, loading and failing states, links.
import type { Page } from "@playwright/test";
import { connected, expect, skillText, test } from "./harness";
import { addressOf, settingsTabs } from "./views";

const row = (page: Page, name: string) =>
  page.locator("li.row").filter({ has: page.getByRole("heading", { level: 3, name, exact: true }) });

/** Intercepts one method on its way to the gateway; everything else passes. */
async function between(page: Page, method: string, act: (send: () => void, refuse: (message: string) => void) => void): Promise<void> {
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const asked = JSON.parse(String(text)) as { id: string; method?: string };
      if (asked.method !== method) return server.send(text);
      const error = (message: string) => ({ type: "res", id: asked.id, ok: false, error: { code: "UNAVAILABLE", message } });
      act(() => server.send(text), (message) => socket.send(JSON.stringify(error(message))));
    });
  });
}

test.describe("a row of the skills", () => {
  test.use({
    scene: {
      skills: { weather: skillText("weather", "Our own words about the sky.", { emoji: "🌦️", capabilities: ["network", "filesystem"] }) },
      files: { "skills/tide/SKILL.md": skillText("tide", "When the water comes.") },
    },
  });

  test("says where a skill comes from, whom it shadows and what it can use", async ({ studio }) => {
    await studio.goto(addressOf("skills"));
    const weather = row(studio, "weather");
    await expect(weather).toHaveCount(1);
    await expect(weather).toContainText("🌦️");
    await expect(weather).toContainText("Our own words about the sky.");
    await expect(weather.locator(".c-src")).toContainText("Workspace");
    await expect(weather.locator(".c-src")).toContainText("Shadows Built-in");
    await expect(weather.getByRole("list", { name: "Capabilities" }).getByRole("listitem")).toHaveCount(2);
    await expect(row(studio, "tide").locator(".c-src")).toHaveText("Installed");
    await expect(row(studio, "daily-notes").locator(".c-src")).toHaveText("Built-in");
  });
});

test("a link to each view leads to it, also in another window", async ({ studio, context }) => {
  for (const [name, title] of Object.entries(settingsTabs)) {
    await studio.goto(`/?settingsAgentId=main&settingsTab=${name}`);
    await connected(studio);
    await expect(studio.getByRole("navigation").locator("[aria-current=page]")).toHaveText(new RegExp(title));
  }
  const other = await context.newPage();
  await other.goto("/?settingsAgentId=main&settingsTab=setup&skill=weather");
  await expect(other.getByRole("dialog")).toContainText("weather");
});

test("choosing the current value writes nothing", async ({ studio }) => {
  let writes = 0;
  await between(studio, "config.set", (send) => {
    writes += 1;
    send();
  });
  await studio.goto(addressOf("skills"));
  const all = studio.getByRole("radio", { name: "All skills, new ones included" });
  await expect(all).toBeChecked();
  await all.click({ force: true });
  await studio.getByRole("switch", { name: "Skill weather" }).click();
  await studio.getByRole("alertdialog").getByRole("button", { name: "Turn off weather" }).click();
  await expect(studio.getByRole("switch", { name: "Skill weather" })).not.toBeChecked();
  expect(writes, "only the second one changed something").toBe(1);
});

test("loading is shown, and a failed load says why and can be retried", async ({ studio }) => {
  const held: (() => void)[] = [];
  let refusals = 1;
  await between(studio, "skills.status", (send, refuse) => {
    held.push(() => (refusals-- > 0 ? refuse("the disk does not answer") : send()));
  });
  await studio.goto(addressOf("skills"));
  const main = studio.getByRole("main");
  await expect(main.getByRole("status").filter({ hasText: /Reading|Loading/ })).toBeVisible();
  await expect.poll(() => held.length).toBe(1);
  held[0]?.();
  await expect(main.getByRole("alert")).toContainText("the disk does not answer");
  await main.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => held.length).toBe(2);
  held[1]?.();
  await expect(row(studio, "weather")).toBeVisible();
  await expect(main.getByRole("alert")).toHaveCount(0);
});

test("a turn shows tokens, context, session, cost of the day, and the time of each tool", async ({ studio, model }) => {
  model.reply({ tool: "agents_list", arguments: {} }).reply("One agent.");
  await studio.locator("#msg").fill("How many agents are there?");
  await studio.locator("#msg").press("Enter");
  await expect(studio.locator(".msg:not(.me) .md").last()).toHaveText("One agent.");
  const usage = studio.locator(".usage");
  await expect(usage).toContainText("This turn: 2,400 in, 160 out");
  await expect(usage).toContainText("Session: 2,560 tokens");
  await expect(usage).toContainText("1% of the context");
  await expect(usage).toContainText("$0.00 today");
  await expect(studio.locator("details.tool .stat")).toContainText(/\d+(\.\d)? m?s/);
});
