import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { asPerson, expect, test } from "./harness";

const SOUL = "/?settingsAgentId=main&settingsTab=behavior&item=SOUL.md";
const text = (page: Page, file: string) => page.getByRole("textbox", { name: `Text of ${file}` });
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true });

test.use({
  scene: {
    config: { agents: { list: [{ id: "main", default: true }, { id: "ada", name: "Ada" }] } },
    files: { "workspace/SOUL.md": "Be kind.\r\nBe brief.\r\n", "workspace/AGENTS.md": "# How\n" },
  },
});

test("a file is edited, saved and taken back, and keeps its line ends", async ({ studio, gateway }) => {
  const path = join(gateway.files.workspace, "SOUL.md");
  await studio.goto(SOUL);
  await expect(text(studio, "SOUL.md")).toHaveValue("Be kind.\nBe brief.\n");
  await expect(save(studio)).toBeDisabled();
  await text(studio, "SOUL.md").fill("Be kind.\nBe brief.\nBe curious.\n");
  await expect(studio.getByText("3 lines")).toBeVisible();
  await text(studio, "SOUL.md").press("Control+s");
  await expect(studio.getByText("SOUL.md was saved.")).toBeVisible();
  expect(await readFile(path, "utf8")).toBe("Be kind.\r\nBe brief.\r\nBe curious.\r\n");
  await expect(save(studio)).toBeDisabled();
  await studio.getByRole("button", { name: "Undo" }).click();
  await expect(studio.getByText("SOUL.md was restored to its previous text.")).toBeVisible();
  expect(await readFile(path, "utf8")).toBe("Be kind.\r\nBe brief.\r\n");
  await expect(text(studio, "SOUL.md")).toHaveValue("Be kind.\nBe brief.\n");
});

test("Revert brings back what the file says", async ({ studio }) => {
  await studio.goto(SOUL);
  await text(studio, "SOUL.md").fill("Something else.");
  await expect(studio.getByLabel("SOUL.md").getByText("Unsaved")).toBeVisible();
  await studio.getByRole("button", { name: "Revert" }).click();
  await expect(text(studio, "SOUL.md")).toHaveValue("Be kind.\nBe brief.\n");
});

test("leaving unsaved changes asks first", async ({ studio, gateway }) => {
  const path = join(gateway.files.workspace, "SOUL.md");
  const asked = studio.getByRole("alertdialog", { name: "SOUL.md has unsaved changes." });
  await studio.goto("/?settingsAgentId=main&settingsTab=skills");
  await studio.goto(SOUL);
  await text(studio, "SOUL.md").fill("Mine.");

  await test.step("another file", async () => {
    await studio.getByRole("link", { name: /AGENTS\.md/ }).click();
    await asked.getByRole("button", { name: "Keep editing" }).click();
    await expect(text(studio, "SOUL.md")).toHaveValue("Mine.");
  });
  await test.step("another view", async () => {
    await studio.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Advanced" }).click();
    await expect(asked).toBeVisible();
    await studio.keyboard.press("Escape");
    await expect(studio).toHaveURL(/item=SOUL\.md/);
  });
  await test.step("another agent", async () => {
    await studio.getByRole("button", { name: "Choose another agent" }).click();
    await studio.getByRole("link", { name: "Ada" }).click();
    await asked.getByRole("button", { name: "Keep editing" }).click();
    await expect(studio).toHaveURL(/settingsAgentId=main/);
  });
  await test.step("closing the page", async () => {
    const dialog = studio.waitForEvent("dialog");
    await studio.close({ runBeforeUnload: true });
    expect((await dialog).type()).toBe("beforeunload");
    await (await dialog).dismiss();
  });
  await test.step("saved on the way out", async () => {
    await studio.getByRole("link", { name: /AGENTS\.md/ }).click();
    await asked.getByRole("button", { name: "Save and continue" }).click();
    await expect(text(studio, "AGENTS.md")).toBeVisible();
    expect(await readFile(path, "utf8")).toBe("Mine.");
  });
});

test("going back asks too, and discarded changes are gone", async ({ studio, gateway }) => {
  await studio.goto("/?settingsAgentId=main&settingsTab=behavior");
  await studio.getByRole("link", { name: /SOUL\.md/ }).click();
  await text(studio, "SOUL.md").fill("Mine.");
  await studio.goBack();
  const asked = studio.getByRole("alertdialog");
  await expect(asked).toBeVisible();
  await expect(studio).toHaveURL(/item=SOUL\.md/);
  await asked.getByRole("button", { name: "Discard changes" }).click();
  await expect(text(studio, "AGENTS.md")).toBeVisible();
  expect(await readFile(join(gateway.files.workspace, "SOUL.md"), "utf8")).toBe("Be kind.\r\nBe brief.\r\n");
});

test("a file that changed on disk is reported before it is overwritten", async ({ studio, gateway }) => {
  const path = join(gateway.files.workspace, "SOUL.md");
  await studio.goto(SOUL);
  await text(studio, "SOUL.md").fill("Mine.");
  await writeFile(path, "Theirs.");
  await save(studio).click();
  const told = studio.getByText("SOUL.md was changed elsewhere while you were editing.");
  await expect(told).toBeVisible();
  expect(await readFile(path, "utf8")).toBe("Theirs.");
  await studio.getByRole("button", { name: "Show the current file" }).click();
  await expect(studio.getByRole("region", { name: "Current text of SOUL.md" })).toHaveText("Theirs.");
  await expect(text(studio, "SOUL.md")).toHaveValue("Mine.");
  await studio.getByRole("button", { name: "Overwrite the file" }).click();
  await expect(studio.getByText("SOUL.md was saved.")).toBeVisible();
  await expect(told).toBeHidden();
  expect(await readFile(path, "utf8")).toBe("Mine.");
  await studio.getByRole("button", { name: "Undo" }).click();
  await expect(text(studio, "SOUL.md")).toHaveValue("Theirs.");
});

test("a change on disk found while leaving keeps the page open", async ({ studio, gateway }) => {
  const path = join(gateway.files.workspace, "SOUL.md");
  await studio.goto(SOUL);
  await text(studio, "SOUL.md").fill("Mine.");
  await writeFile(path, "Theirs.");
  await studio.getByRole("link", { name: /AGENTS\.md/ }).click();
  await studio.getByRole("alertdialog").getByRole("button", { name: "Save and continue" }).click();
  await expect(studio.getByText("SOUL.md was changed elsewhere while you were editing.")).toBeVisible();
  await expect(studio.getByRole("alertdialog")).toBeHidden();
  await expect(text(studio, "SOUL.md")).toHaveValue("Mine.");
  expect(await readFile(path, "utf8")).toBe("Theirs.");
});

test("the version on disk is taken on request", async ({ studio, gateway }) => {
  await studio.goto(SOUL);
  await text(studio, "SOUL.md").fill("Mine.");
  await writeFile(join(gateway.files.workspace, "SOUL.md"), "Theirs.");
  await save(studio).click();
  await studio.getByRole("button", { name: "Use the file, discard my changes" }).click();
  await expect(text(studio, "SOUL.md")).toHaveValue("Theirs.");
});

test("an undo does not overwrite what was written since", async ({ studio, gateway }) => {
  const path = join(gateway.files.workspace, "SOUL.md");
  await studio.goto(SOUL);
  await text(studio, "SOUL.md").fill("Mine.");
  await save(studio).click();
  await expect(studio.getByText("SOUL.md was saved.")).toBeVisible();
  await writeFile(path, "Theirs.");
  await studio.getByRole("button", { name: "Undo" }).click();
  await expect(studio.getByText("SOUL.md was changed elsewhere while you were editing.")).toBeVisible();
  expect(await readFile(path, "utf8")).toBe("Theirs.");
});

test("a file that is not there is created, by the keyboard alone", async ({ studio, gateway }) => {
  const person = asPerson(studio);
  await studio.goto("/?settingsAgentId=main&settingsTab=behavior");
  await person.use(studio.getByRole("link", { name: /MEMORY\.md/ }));
  await expect(studio.getByRole("heading", { name: "MEMORY.md does not exist" })).toBeVisible();
  await person.use(studio.getByRole("button", { name: "Create MEMORY.md" }));
  await expect(text(studio, "MEMORY.md")).toBeFocused();
  await studio.keyboard.type("The kettle is blue.");
  await person.press("Control+s");
  await expect(studio.getByText("MEMORY.md was saved.")).toBeVisible();
  expect(await readFile(join(gateway.files.workspace, "MEMORY.md"), "utf8")).toBe("The kettle is blue.");
  // Files cannot be deleted, so no undo is offered.
  await expect(studio.getByRole("button", { name: "Undo" })).toBeHidden();
});

test("a text that is too long for the prompt has a warning", async ({ studio }) => {
  await studio.goto(SOUL);
  await text(studio, "SOUL.md").fill("x".repeat(20_001));
  await expect(studio.getByText("20,001 characters: only 20,000 fit into the prompt.")).toBeVisible();
});

test("what cannot be saved stays, with the reason", async ({ studio, gateway }) => {
  await studio.goto(SOUL);
  await text(studio, "SOUL.md").fill("Mine.");
  await writeFile(join(gateway.files.workspace, "SOUL.md"), Buffer.from([0xff]));
  await save(studio).click();
  await expect(studio.getByRole("alert")).toContainText("SOUL.md was not saved. SOUL.md is no UTF-8 text");
  await expect(text(studio, "SOUL.md")).toHaveValue("Mine.");
  await expect(save(studio)).toBeEnabled();
});

test("on a narrow screen a file is chosen from a list", async ({ studio }) => {
  await studio.setViewportSize({ width: 375, height: 812 });
  await studio.goto("/?settingsAgentId=main&settingsTab=behavior");
  await studio.getByRole("combobox", { name: "File" }).selectOption("USER.md");
  await expect(studio.getByRole("heading", { name: "USER.md", exact: true })).toBeVisible();
  const overflow = await studio.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(overflow).toBe(0);
});
