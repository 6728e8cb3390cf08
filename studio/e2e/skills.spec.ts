// The Skills view: an agent's skills, changed in the configuration of a real gateway.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { Gate, asPerson, connected, expect, skillText, test } from "./harness";

type Written = { agents: { list: { id: string; skills?: string[] }[] } };

const MIRA = { agents: { list: [{ id: "main", default: true, identity: { name: "Mira" } }, { id: "ada", name: "Ada" }] } };
const SKILLS = {
  "tide-table": skillText("tide-table", "Reads the tide table of a harbour."),
  "mac-shelf": skillText("mac-shelf", "Sorts a shelf on another system.", { os: ["darwin"] }),
  "key-ring": skillText("key-ring", "Opens the shed.", { requires: { env: ["SHED_KEY"] } }),
};

test.use({ scene: { config: { ...MIRA, skills: { allowBundled: ["none"] } }, skills: SKILLS } });

const view = (agent = "main") => `/?settingsAgentId=${agent}&settingsTab=skills`;
const skill = (page: Page, name: string) => page.getByRole("switch", { name: `Skill ${name}`, exact: true });
const row = (page: Page, name: string) => page.locator("li.row").filter({ has: skill(page, name) });
const undo = (page: Page) => page.locator(".toast").getByRole("button", { name: "Undo" });
const mode = (page: Page, name: string) => page.getByRole("radio", { name, exact: true });
const skillsOf = async (config: string, id = "main") =>
  (JSON.parse(await readFile(config, "utf8")) as Written).agents.list.find((agent) => agent.id === id)?.skills;

/** The radio is under its label, and disabled while another choice is saved. */
async function choose(page: Page, name: string): Promise<void> {
  await expect(mode(page, name)).toBeEnabled();
  await mode(page, name).click({ force: true });
}

test("names the agent first, and shows access and readiness apart", async ({ studio }) => {
  await studio.goto(view());
  await expect(studio.locator("main .scope")).toHaveText(/These switches apply to Mira only\./);
  await expect(studio.getByRole("heading", { level: 1 })).toHaveText(/Usable now: 1 of \d+/);
  await expect(skill(studio, "key-ring")).toBeChecked();
  await expect(row(studio, "key-ring").locator(".chip")).toHaveText("Setup required");
  await expect(row(studio, "key-ring")).toContainText("Variable SHED_KEY is not set.");
  await expect(row(studio, "mac-shelf").locator(".chip")).toHaveText("Not supported");
  await expect(row(studio, "tide-table").locator(".chip")).toHaveText("Ready");
  await expect(row(studio, "tide-table")).toContainText("Workspace");
  await expect(row(studio, "tide-table").getByRole("button", { name: "Open System Setup" })).toHaveCount(0);
});

test("one skill off while all are allowed asks first, keeps every other one, and can be taken back", async ({ studio, gateway }) => {
  await studio.goto(view());
  await skill(studio, "tide-table").click();
  const question = studio.getByRole("alertdialog");
  await expect(question).toContainText("Turn off tide-table for Mira?");
  await expect(question).toContainText("Mira changes from All skills to Selected skills only.");
  await expect(question).toContainText("Skills added later are not included.");
  await question.getByRole("button", { name: "Keep all skills" }).click();
  await expect(skill(studio, "tide-table")).toBeChecked();
  expect(await skillsOf(gateway.files.config)).toBeUndefined();

  await skill(studio, "tide-table").click();
  await question.getByRole("button", { name: "Turn off tide-table" }).click();
  await expect(skill(studio, "tide-table")).not.toBeChecked();
  await expect(mode(studio, "Selected skills only")).toBeChecked();
  const kept = await skillsOf(gateway.files.config);
  expect(kept).toEqual(expect.arrayContaining(["mac-shelf", "key-ring"]));
  expect(kept).not.toContain("tide-table");
  await expect(studio.locator(".toast")).toContainText("Mira may no longer use tide-table.");

  await undo(studio).click();
  await expect(skill(studio, "tide-table")).toBeChecked();
  await expect(mode(studio, "All skills, new ones included")).toBeChecked();
  expect(await skillsOf(gateway.files.config)).toBeUndefined();
});

test("the access mode writes no list, a list or an empty list, asks first, and can be undone", async ({ studio, gateway }) => {
  await studio.goto(view());
  const question = studio.getByRole("alertdialog");
  await choose(studio, "None");
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(mode(studio, "All skills, new ones included")).toBeChecked();

  await choose(studio, "None");
  await question.getByRole("button", { name: "Turn off all skills" }).click();
  await expect(mode(studio, "None")).toBeChecked();
  expect(await skillsOf(gateway.files.config)).toEqual([]);
  await expect(skill(studio, "tide-table")).not.toBeChecked();

  // Nothing is on yet: an empty list would mean none, so nothing is written before the first skill is on.
  await choose(studio, "Selected skills only");
  await expect(studio.getByText("None yet: turn on below what Mira may use.")).toBeVisible();
  expect(await skillsOf(gateway.files.config)).toEqual([]);
  await skill(studio, "key-ring").click();
  await expect(skill(studio, "key-ring")).toBeChecked();
  expect(await skillsOf(gateway.files.config)).toEqual(["key-ring"]);

  await choose(studio, "All skills, new ones included");
  await question.getByRole("button", { name: "Allow all skills" }).click();
  await expect(mode(studio, "All skills, new ones included")).toBeChecked();
  expect(await skillsOf(gateway.files.config)).toBeUndefined();

  await expect(studio.locator(".toast")).toContainText("Mira may use all skills");
  await studio.locator("body").press("Control+z");
  await expect(mode(studio, "Selected skills only")).toBeChecked();
  expect(await skillsOf(gateway.files.config)).toEqual(["key-ring"]);
});

test("another agent keeps its own", async ({ studio, gateway }) => {
  await studio.goto(view("ada"));
  await expect(studio.locator("main .scope")).toContainText("Ada");
  await expect(skill(studio, "weather")).toBeChecked();
  await choose(studio, "None");
  await studio.getByRole("alertdialog").getByRole("button", { name: "Turn off all skills" }).click();
  await expect(mode(studio, "None")).toBeChecked();
  expect([await skillsOf(gateway.files.config, "ada"), await skillsOf(gateway.files.config)]).toEqual([[], undefined]);
});

test("a failed change is reported on its row; the list stays, and it can be retried", async ({ studio, gateway }) => {
  const list = ["key-ring", "not-here"];
  const changed = { ...MIRA, skills: { allowBundled: ["none"] } };
  const withList = (note: number) => ({ ...changed, agents: { list: [{ ...MIRA.agents.list[0], skills: list, name: `Mira ${note}` }, MIRA.agents.list[1]] } });
  await gateway.writeConfig(withList(0));
  // Another client changes the file each time before the page's write arrives.
  let others = 2;
  await studio.routeWebSocket(/\/ws$/, (page) => {
    const server = page.connectToServer();
    page.onMessage((text) => {
      const isChange = others > 0 && (JSON.parse(String(text)) as { method?: string }).method === "config.set";
      if (!isChange) return server.send(text);
      others -= 1;
      void gateway.writeConfig(withList(others + 7)).then(() => server.send(text));
    });
  });
  await studio.goto(view());
  await expect(skill(studio, "tide-table")).not.toBeChecked();
  await skill(studio, "tide-table").click();
  const failed = row(studio, "tide-table").getByRole("alert");
  await expect(failed).toContainText("Not saved. The configuration changed twice while it was being saved. Mira still may not use tide-table.");
  await expect(skill(studio, "key-ring")).toBeVisible();
  await expect(skill(studio, "tide-table")).not.toBeChecked();

  await failed.getByRole("button", { name: "Try again" }).click();
  await expect(skill(studio, "tide-table")).toBeChecked();
  await expect(failed).toHaveCount(0);
  expect(await skillsOf(gateway.files.config)).toEqual([...list, "tide-table"]);
});

test("only the row that is changed is busy", async ({ studio }) => {
  const held: (() => void)[] = [];
  await studio.routeWebSocket(/\/ws$/, (page) => {
    const server = page.connectToServer();
    page.onMessage((text) => {
      if ((JSON.parse(String(text)) as { method?: string }).method === "config.set") held.push(() => server.send(text));
      else server.send(text);
    });
  });
  await studio.goto(view());
  await skill(studio, "tide-table").click();
  await studio.getByRole("alertdialog").getByRole("button", { name: "Turn off tide-table" }).click();
  await expect(skill(studio, "tide-table")).toHaveAttribute("aria-busy", "true");
  await expect(row(studio, "tide-table")).toContainText("Saving…");
  await expect(studio.locator("[aria-busy=true]")).toHaveCount(1);
  await expect.poll(() => held.length).toBe(1);
  held[0]?.();
  await expect(skill(studio, "tide-table")).not.toHaveAttribute("aria-busy");
});

test("search and filters have counts and survive a reload", async ({ studio }) => {
  await studio.goto(view());
  await expect(studio.getByRole("button", { name: /^Not supported/ })).toContainText("1");
  const field = studio.getByRole("search").getByRole("textbox");
  await studio.keyboard.press("/");
  await expect(field).toBeFocused();
  await studio.keyboard.type("harbour");
  await expect(studio.getByRole("switch")).toHaveCount(1);
  await studio.getByRole("button", { name: /^Blocked/ }).click();
  await expect(studio.getByRole("heading", { name: "No skill matches “harbour”" })).toBeVisible();
  await studio.reload();
  await connected(studio);
  await expect(studio.getByRole("heading", { name: "No skill matches “harbour”" })).toBeVisible();
  await studio.getByRole("button", { name: /^Search all/ }).click();
  await expect(skill(studio, "tide-table")).toBeVisible();
  await studio.getByRole("button", { name: "Clear search" }).click();
  for (const query of ["OPENS shed", "key-ring", "workspace key-ring"]) {
    await field.fill(query);
    await expect(studio.getByRole("switch")).toHaveCount(1);
    await expect(skill(studio, "key-ring")).toBeVisible();
  }
});

test("a skill that is added on disk appears, and one that is removed goes", async ({ studio, gateway }) => {
  await studio.goto(view());
  await expect(skill(studio, "tide-table")).toBeVisible();
  await gateway.writeSkill("late-comer", skillText("late-comer", "Was not here before."));
  await expect(skill(studio, "late-comer")).toBeVisible({ timeout: 20_000 });
  await rm(join(gateway.files.workspace, "skills", "late-comer"), { recursive: true });
  await expect(skill(studio, "late-comer")).toHaveCount(0, { timeout: 20_000 });
});

test("says that a change takes effect with the next message while a turn is running", async ({ studio, gateway, model }) => {
  const gate = new Gate();
  model.reply("One moment:", gate, " done.");
  await studio.goto(view());
  await expect(skill(studio, "tide-table")).toBeVisible();
  await gateway.call("chat.send", { sessionKey: "agent:main:main", message: "Go on", idempotencyKey: "one" });
  const notice = studio.locator(".access").getByText("A turn is running: the change takes effect with the next message.");
  await expect(notice).toBeVisible();
  await skill(studio, "tide-table").click();
  await studio.getByRole("alertdialog").getByRole("button", { name: "Turn off tide-table" }).click();
  await expect(studio.locator(".toast")).toContainText("A turn is running: the change takes effect with the next message.");
  gate.open();
  await expect(notice).toHaveCount(0);
});

test("works with the keyboard alone", async ({ studio }) => {
  await studio.goto(view());
  const person = asPerson(studio);
  const switches = studio.getByRole("switch");
  await person.tabTo(switches.first());
  await person.press("ArrowDown");
  await expect(switches.nth(1)).toBeFocused();
  await person.press("End");
  await expect(switches.last()).toBeFocused();
  await person.press("Home");
  await expect(switches.first()).toBeFocused();
  await person.press("Space");
  const question = studio.getByRole("alertdialog");
  await expect(question).toBeVisible();
  await person.press("Escape");
  await expect(question).toHaveCount(0);
  await expect(switches.first()).toBeFocused();
  await person.press("Space");
  await person.use(question.getByRole("button", { name: /^Turn off/ }));
  await expect(switches.first()).not.toBeChecked();
  await expect(undo(studio)).toBeVisible();
  await person.press("Control+z");
  await expect(switches.first()).toBeChecked();
});

test("is in Chinese, with the same accessible names for machine values", async ({ studio }) => {
  await studio.goto(view());
  await studio.getByRole("button", { name: "切换到中文" }).click();
  await expect(studio.getByRole("heading", { level: 1 })).toContainText("现在可用");
  await expect(row(studio, "key-ring").locator(".chip")).toHaveText("需要设置");
  await expect(row(studio, "key-ring")).toContainText("未设置变量 SHED_KEY。");
});

test("on a tablet the switch, the name and the readiness of a skill stand side by side", async ({ studio }) => {
  await studio.goto("/?settingsAgentId=main&settingsTab=skills");
  for (const width of [768, 1024]) {
    await studio.setViewportSize({ width, height: 900 });
    const parts = [".switch", ".name", ".state-top"].map((part) => row(studio, "key-ring").locator(part).first());
    const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
    const ends = boxes.map((box) => box && [box.x, box.x + box.width] as const);
    expect(ends[0]?.[1]).toBeLessThanOrEqual(ends[1]?.[0] ?? 0);
    expect(ends[1]?.[1]).toBeLessThanOrEqual(ends[2]?.[0] ?? 0);
  }
});

test("fits a telephone: the access mode is a native select", async ({ studio }) => {
  await studio.setViewportSize({ width: 375, height: 812 });
  await studio.goto(view());
  await expect(studio.getByRole("combobox", { name: "Mira may use" })).toHaveValue("all");
  await expect(studio.getByRole("radio").first()).toBeHidden();
  expect(await studio.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
});

test.describe("with a thousand skills", () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`s${String(n).padStart(4, "0")}`, n]));
  const texts = Object.fromEntries(Object.keys(many).map((name) => [name, skillText(name, `Does the thing number ${many[name]}.`)]));
  test.use({
    scene: {
      config: { ...MIRA, skills: { allowBundled: ["none"], limits: { maxSkillsLoadedPerSource: 2000, maxCandidatesPerRoot: 4000 } } },
      skills: texts,
    },
  });

  test("the list renders a few rows, scrolls to the last, searches and switches", async ({ studio }) => {
    test.setTimeout(90_000);
    await studio.goto(view());
    await expect(skill(studio, "s0000")).toBeVisible({ timeout: 30_000 });
    expect(await studio.getByRole("switch").count()).toBeLessThan(80);
    await skill(studio, "s0000").focus();
    await studio.keyboard.press("End");
    await expect(studio.getByRole("switch").last()).toBeFocused();
    await expect(skill(studio, "s0999")).toBeVisible();
    await studio.keyboard.press("/");
    await studio.keyboard.type("s0500");
    await skill(studio, "s0500").click();
    await studio.getByRole("alertdialog").getByRole("button", { name: "Turn off s0500" }).click();
    await expect(skill(studio, "s0500")).not.toBeChecked({ timeout: 30_000 });
    await expect(studio.locator(".toast")).toContainText("s0500");
  });
});
