// Creating an agent from the left column.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { asPerson, expect, test } from "./harness";
import { barriers } from "./harness/axe";

test.use({ scene: { config: { agents: { list: [{ id: "main", default: true, name: "Main" }, { id: "ada", name: "Ada" }] } } } });

const column = (page: Page) => page.getByRole("navigation", { name: "Agents and sessions" });
const dialog = (page: Page) => page.getByRole("dialog", { name: "New agent" });

test("a new agent is made by the keyboard alone, as it was shown before, and its chat opens", async ({ studio, gateway }) => {
  const folder = join(gateway.files.state, "workspace-night-watch");
  const person = asPerson(studio);
  await person.use(column(studio).getByRole("button", { name: "New agent" }));
  await expect(dialog(studio)).toContainText("Adds an agent to this gateway.");
  await expect(dialog(studio).getByLabel("Name")).toBeFocused();
  await expect(dialog(studio).getByRole("button", { name: "Create agent" })).toBeDisabled();
  await studio.keyboard.type("Night Watch");
  await expect(dialog(studio).getByRole("definition")).toHaveText(["night-watch", folder]);
  expect(existsSync(folder)).toBe(false);

  await person.press("Enter");
  await expect(dialog(studio)).toBeHidden();
  await expect(studio).toHaveURL(/session=agent:night-watch:main$/);
  await expect(column(studio).getByRole("button", { name: /^Night Watch/ })).toHaveAttribute("aria-expanded", "true");
  await expect(studio.getByRole("textbox", { name: "Message to Night Watch" })).toBeVisible();
  expect(existsSync(join(folder, "AGENTS.md"))).toBe(true);
  const { agents } = await gateway.call("agents.list", {});
  expect(agents.map(({ id, name, workspace }) => [id, name, workspace]).at(-1)).toEqual(["night-watch", "Night Watch", folder]);
});

test("a name that is taken or gives no id is refused with a hint", async ({ studio, gateway }) => {
  const before = await readFile(gateway.files.config, "utf8");
  await column(studio).getByRole("button", { name: "New agent" }).click();
  const name = dialog(studio).getByLabel("Name");
  await name.fill(" ADA ");
  await expect(dialog(studio).getByRole("alert")).toHaveText(/^An agent with this id already exists\. Choose another name/);
  await name.press("Enter");
  await expect(dialog(studio).getByRole("alert")).toBeVisible();
  await name.fill("小米");
  await expect(dialog(studio).getByRole("alert")).toHaveText(/^The id is made of the letters a to z .* Add one\.$/);
  await expect(name).toHaveValue("小米");
  await name.press("Escape");
  await expect(dialog(studio)).toBeHidden();
  await expect(column(studio).getByRole("button", { name: "New agent" })).toBeFocused();
  expect(await readFile(gateway.files.config, "utf8")).toBe(before);
});

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme });

    test("the dialog is accessible, in Chinese and on a narrow screen too", async ({ studio }) => {
      await studio.getByRole("button", { name: "切换到中文" }).click();
      await studio.setViewportSize({ width: 375, height: 812 });
      await studio.getByRole("button", { name: "打开导航" }).click();
      await studio.getByRole("button", { name: "新建智能体" }).click();
      await studio.getByLabel("名称").fill("小米 2");
      await expect(studio.getByRole("definition").first()).toHaveText("2");
      expect(await barriers(studio)).toEqual([]);
      await studio.getByLabel("名称").fill("小米");
      await expect(studio.getByRole("alert")).toBeVisible();
      expect(await barriers(studio)).toEqual([]);
    });
  });
}
