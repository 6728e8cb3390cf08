// A browser with late frames: whatever is drawn works as soon as it is visible.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, skillText, test } from "./harness";

test.use({
  scene: {
    config: { agents: { list: [{ id: "main", default: true, identity: { name: "Mira" } }] } },
    skills: { "tide-table": skillText("tide-table", "Reads the tide table of a harbour.") },
    files: { "workspace/AGENTS.md": "# How\n" },
  },
});

test.beforeEach(async ({ context }) => {
  await context.addInitScript(() => {
    const LATE_MS = 3000;
    const wait = window.setTimeout.bind(window);
    window.requestAnimationFrame = (act) => wait(() => act(performance.now()), LATE_MS);
    // The fallback for a missing frame is late as well.
    const late = (act: () => void, ms = 0) => wait(act, ms < 100 ? LATE_MS : ms);
    window.setTimeout = late as typeof window.setTimeout;
  });
});

test("the search takes its key", async ({ studio }) => {
  await studio.goto("/?settingsAgentId=main&settingsTab=skills");
  await expect(studio.getByRole("switch", { name: "Skill tide-table" })).toBeVisible();
  await studio.keyboard.press("/");
  await studio.keyboard.type("harbour");
  await expect(studio.getByRole("switch")).toHaveCount(1);
});

test("a question takes the next key, and gives the focus back", async ({ studio }) => {
  await studio.goto("/?settingsAgentId=main&settingsTab=skills");
  const skill = studio.getByRole("switch", { name: "Skill tide-table" });
  await skill.focus();
  await studio.keyboard.press("Space");
  await studio.keyboard.press("Enter");
  await expect(skill).toBeFocused();
  await expect(skill).not.toBeChecked();
});

test("a new file takes what is typed, is saved by its key, and is not left without a word", async ({ studio, gateway }) => {
  await studio.goto("/?settingsAgentId=main&settingsTab=behavior&item=MEMORY.md");
  await studio.getByRole("button", { name: "Create MEMORY.md" }).click();
  await studio.keyboard.type("The kettle is blue.");
  await studio.keyboard.press("Control+s");
  await expect(studio.getByText("MEMORY.md was saved.")).toBeVisible();
  expect(await readFile(join(gateway.files.workspace, "MEMORY.md"), "utf8")).toBe("The kettle is blue.");
  await studio.getByRole("link", { name: /AGENTS\.md/ }).click();
  await studio.getByRole("textbox", { name: "Text of AGENTS.md" }).fill("# Mine\n");
  await studio.getByRole("link", { name: /MEMORY\.md/ }).click();
  await expect(studio.getByRole("alertdialog", { name: "AGENTS.md has unsaved changes." })).toBeVisible();
});

test.describe("an identity in the configuration", () => {
  test.use({ scene: { config: { agents: { list: [{ id: "main", identity: { name: "Kit", emoji: "🦊" } }] } } } });

  test("is not reset while a field is edited", async ({ studio }) => {
    await studio.goto("/?settingsAgentId=main&settingsTab=advanced");
    const face = studio.getByRole("region", { name: "Identity" }).getByRole("textbox", { name: "Avatar" });
    await face.fill("🐝");
    await studio.getByRole("button", { name: "Save" }).last().click();
    await expect(studio.getByText("The identity of Kit was saved.")).toBeVisible();
    await expect(face).toHaveValue("🐝");
  });
});
