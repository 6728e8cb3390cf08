import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Gateway } from "./harness/gateway";
import { asPerson, expect, heldToast, test } from "./harness";

const HERE = "/?settingsAgentId=ada&settingsTab=advanced";

test.use({
  scene: {
    config: {
      agents: { list: [{ id: "main", default: true }, { id: "ada", name: "Ada" }] },
      models: {
        providers: {
          spare: { baseUrl: "http://127.0.0.1:9/v1", apiKey: "none", models: [{ id: "small", name: "Small" }, { id: "large", name: "Large" }] },
        },
      },
    },
  },
});

async function entry(gateway: Gateway, id: string): Promise<Record<string, unknown> | undefined> {
  const config = JSON.parse(await readFile(gateway.files.config, "utf8"));
  return config.agents.list.find((agent: { id: string }) => agent.id === id);
}

test("an agent is renamed everywhere, and Undo takes it back", async ({ studio, gateway }) => {
  await studio.goto(HERE);
  const field = studio.getByRole("textbox", { name: "Name of this agent" });
  await expect(field).toHaveValue("Ada");
  await field.fill("Mira");
  await field.press("Enter");
  const toast = await heldToast(studio);
  await expect(toast).toContainText("The name is now Mira.");
  await expect(studio.getByRole("navigation", { name: "Settings" })).toContainText("Mira");
  expect(await entry(gateway, "ada")).toEqual({ id: "ada", name: "Mira" });
  await toast.getByRole("button", { name: "Undo" }).click();
  await expect(field).toHaveValue("Ada");
  expect(await entry(gateway, "ada")).toEqual({ id: "ada", name: "Ada" });
});

test("another model is chosen, with fallbacks", async ({ studio, gateway }) => {
  await studio.goto(HERE);
  const model = studio.getByRole("combobox", { name: "Model of Ada" });
  await model.selectOption("spare/small");
  await expect(studio.getByText("Ada uses spare/small.")).toBeVisible();
  expect(await entry(gateway, "ada")).toEqual({ id: "ada", name: "Ada", model: "spare/small" });
  await studio.getByRole("combobox", { name: "Add a model" }).selectOption("spare/large");
  await expect(studio.getByRole("button", { name: "Remove spare/large" })).toBeEnabled();
  await model.selectOption({ index: 0 });
  await expect(studio.getByText("Ada uses spare/small.")).toBeHidden();
  expect(await entry(gateway, "ada")).toEqual({ id: "ada", name: "Ada" });
  // Not the undo of the previous change.
  await expect(studio.locator(".toast")).toContainText("Ada uses cellar/scripted");
  await studio.getByRole("button", { name: "Undo" }).click();
  await expect(studio.getByText("Ada uses spare/small.")).toBeVisible();
  expect(await entry(gateway, "ada")).toMatchObject({ model: { primary: "spare/small", fallbacks: ["spare/large"] } });
});

test("identity leads to the file that it comes from", async ({ studio, gateway }) => {
  await studio.goto(HERE);
  const identity = studio.getByRole("region", { name: "Identity" });
  await identity.getByRole("link", { name: "Edit IDENTITY.md" }).click();
  await studio.getByRole("button", { name: "Create IDENTITY.md" }).or(studio.getByRole("textbox", { name: "Text of IDENTITY.md" })).first().click();
  await studio.getByRole("textbox", { name: "Text of IDENTITY.md" }).fill("- **Name:** Lovelace\n- **Emoji:** 🦉\n");
  await studio.keyboard.press("Control+s");
  await expect(studio.getByRole("navigation", { name: "Settings" })).toContainText("Lovelace");
  await studio.goto(HERE);
  await expect(identity).toContainText("From IDENTITY.md in the workspace.");
  await expect(identity).toContainText("🦉");
  await expect(studio.getByText("Studio shows Lovelace: the name in its identity has precedence.")).toBeVisible();
  expect(await entry(gateway, "ada")).toEqual({ id: "ada", name: "Ada" });
});

test("a session is deleted after a question that says what is lost", async ({ studio, gateway, model }) => {
  model.reply("Hello.");
  const { runId } = await gateway.call("chat.send", { sessionKey: "agent:ada:old", message: "Hi", idempotencyKey: "one" });
  await gateway.call("agent.wait", { runId, timeoutMs: 20_000 });
  await studio.goto(HERE);
  const sessions = studio.getByRole("region", { name: "Sessions", exact: true });
  await sessions.getByRole("button", { name: "Delete the session old" }).click();
  const asked = studio.getByRole("alertdialog", { name: "Delete the session old?" });
  await expect(asked).toContainText("are deleted permanently");
  await expect(asked).toContainText("tarsus sessions export agent:ada:old");
  await asked.getByRole("button", { name: "Cancel" }).click();
  expect((await gateway.call("sessions.list", { agentId: "ada" })).totalCount).toBe(1);
  await sessions.getByRole("button", { name: "Delete the session old" }).click();
  await asked.getByRole("button", { name: "Delete session" }).click();
  await expect(studio.getByText("The session old was deleted.")).toBeVisible();
  await expect(studio.getByRole("heading", { name: "Ada has no sessions yet" })).toBeVisible();
  expect((await gateway.call("sessions.list", { agentId: "ada" })).totalCount).toBe(0);
});

test("an agent is deleted once its name is typed, by the keyboard alone; its workspace stays", async ({ studio, gateway }) => {
  const person = asPerson(studio);
  await gateway.call("agents.files.set", { agentId: "ada", name: "MEMORY.md", content: "kept" });
  const workspace = (await gateway.call("agents.files.list", { agentId: "ada" })).workspace;
  await studio.goto(HERE);
  const zone = studio.getByRole("region", { name: "Danger zone" });
  await expect(zone).toContainText(workspace);
  const button = zone.getByRole("button", { name: "Delete Ada" });
  const typed = zone.getByRole("textbox", { name: "Type Ada to confirm" });
  await person.type(typed, "ada");
  await expect(button).toBeDisabled();
  await person.type(typed, "Ada");
  await person.use(button);
  await expect(studio.getByText("Ada was deleted. Its workspace is still there.")).toBeVisible();
  await expect(studio).toHaveURL(/settingsAgentId=main/);
  expect(await entry(gateway, "ada")).toBeUndefined();
  expect(existsSync(join(workspace, "MEMORY.md"))).toBe(true);
});

test("the default agent cannot be deleted, and the page says why", async ({ studio }) => {
  await studio.goto("/?settingsAgentId=main&settingsTab=advanced");
  const zone = studio.getByRole("region", { name: "Danger zone" });
  await expect(zone).toContainText("main is the default agent and cannot be deleted.");
  await expect(zone.getByRole("button")).toHaveCount(0);
});

test.describe("an identity in the configuration", () => {
  test.use({ scene: { config: { agents: { list: [{ id: "main", identity: { name: "Kit", emoji: "🦊", avatar: "a.png" } }] } } } });

  test("is edited in place, and what else is in it stays", async ({ studio, gateway }) => {
    await studio.goto("/?settingsAgentId=main&settingsTab=advanced");
    const identity = studio.getByRole("region", { name: "Identity" });
    await identity.getByRole("textbox", { name: "Avatar" }).fill("🐝");
    await identity.getByRole("button", { name: "Save" }).click();
    await expect(studio.getByText("The identity of Kit was saved.")).toBeVisible();
    expect(await entry(gateway, "main")).toMatchObject({ identity: { name: "Kit", emoji: "🐝", avatar: "a.png" } });
    await studio.getByRole("button", { name: "Undo" }).click();
    await expect(identity.getByRole("textbox", { name: "Avatar" })).toHaveValue("🦊");
  });
});
