// A call that waits for approval: the card and its answers, also after a reload and when another client answers.
import type { Page } from "@playwright/test";
import { asPerson, connected, expect, test } from "./harness";
import { barriers } from "./harness/axe";
import type { Model } from "./model";

test.use({ scene: { files: { "workspace/notes.md": "Water the plants.\n" } } });

/** A model that makes one more read than is allowed without approval. */
function circles(model: Model): void {
  for (let calls = 0; calls < 12; calls += 1) model.reply({ tool: "read", arguments: { path: "notes.md" } });
  model.reply("I have looked often enough.");
}

const field = (page: Page) => page.locator("#msg");
const card = (page: Page) => page.getByRole("region", { name: "Pending approval" });
const button = (page: Page, name: string) => card(page).getByRole("button", { name, exact: true });
const answer = (page: Page) => page.locator(".msg:not(.me) .md").last();
const lastCall = (page: Page) => page.locator("details.tool").last();

async function askForApproval(page: Page, model: Model): Promise<void> {
  circles(model);
  await field(page).fill("Look at my notes until they change.");
  await field(page).press("Enter");
  await expect(card(page)).toBeVisible();
}

test("shows the whole call, why it is asked and for how long; allowed once, it happens", async ({ studio, model, gateway }) => {
  await askForApproval(studio, model);
  await expect(card(studio)).toContainText('read {"path":"notes.md"}');
  await expect(card(studio)).toContainText("the same call was made 10 times with the same result.");
  await expect(card(studio)).toContainText(/Expires in (29|30):\d\d/);
  await expect(card(studio).getByRole("button", { name: "Always allow" })).toHaveCount(0);
  await expect(studio.getByText("Needs your approval")).toBeVisible();
  expect(await barriers(studio)).toEqual([]);
  await button(studio, "Allow once").click();
  await expect(card(studio)).toHaveCount(0);
  await expect(answer(studio)).toHaveText("I have looked often enough.");
  const { messages } = await gateway.call("chat.history", { sessionKey: "agent:main:main" });
  const last = messages.findLast(({ role }) => role === "toolResult");
  expect(JSON.stringify(last)).toContain("Water the plants.");
});

test("never takes the focus; F6 reaches it, and a denial is reported to the model", async ({ studio, model }) => {
  await askForApproval(studio, model);
  await expect(field(studio)).toBeFocused();
  await studio.keyboard.press("Enter");
  await expect(card(studio)).toBeVisible();
  const person = asPerson(studio);
  await person.press("Shift+F6");
  await expect(card(studio)).toBeFocused();
  await person.use(button(studio, "Deny"));
  await expect(card(studio)).toHaveCount(0);
  await expect(answer(studio)).toHaveText("I have looked often enough.");
  await lastCall(studio).locator("summary").click();
  await expect(lastCall(studio)).toContainText("the owner denied read");
});

test("is restored after a reload, and closes when another client decides", async ({ studio, model, gateway }) => {
  await askForApproval(studio, model);
  await studio.reload();
  await connected(studio);
  await expect(card(studio)).toBeVisible();
  const { approvals } = await gateway.call("exec.approval.list", {});
  await gateway.call("exec.approval.resolve", { id: approvals[0]?.id ?? "", decision: "deny" });
  await expect(card(studio)).toHaveCount(0);
  await expect(answer(studio)).toHaveText("I have looked often enough.");
});

test("ends with the turn when that is stopped", async ({ studio, model }) => {
  await askForApproval(studio, model);
  await studio.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(card(studio)).toHaveCount(0);
  await expect(studio.getByRole("button", { name: "Stop", exact: true })).toHaveCount(0);
});

test("is decided by a message as well", async ({ studio, model, gateway }) => {
  await askForApproval(studio, model);
  const { approvals } = await gateway.call("exec.approval.list", {});
  await field(studio).fill(`/approve ${approvals[0]?.id} allow-once`);
  await field(studio).press("Enter");
  await expect(card(studio)).toHaveCount(0);
  await expect(answer(studio)).toHaveText('Allowed once: read {"path":"notes.md"}');
});
