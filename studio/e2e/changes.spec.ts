// The files that a turn changed: the line under its answer, their diff, and their undo.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { type Gateway } from "./harness/gateway";
import { barriers } from "./harness/axe";
import { asPerson, connected, expect, reconnected, test } from "./harness";
import type { Model, ScriptStep } from "./model";

const KEY = "agent:main:main";
const notes = "Water the plants.\nBuy seeds.\nCall the gardener.\n";

test.use({ scene: { files: { "workspace/notes.md": notes } } });

const field = (page: Page) => page.locator("#msg");
const card = (page: Page) => page.getByRole("region", { name: /files? changed$/ });
const summary = (page: Page) => card(page).getByRole("button", { name: /^\d+ files? changed/ });
const file = (page: Page, path: string) => card(page).getByRole("listitem").filter({ has: page.locator("code", { hasText: path }) });
const fileButton = (page: Page, path: string) => file(page, path).getByRole("button").first();
const lines = (page: Page, path: string) => page.getByRole("group", { name: `Changed lines of ${path}` });
const undo = (page: Page) => card(page).getByRole("button", { name: "Undo the changes of this turn" });
const dialog = (page: Page) => page.getByRole("dialog");
const confirm = (page: Page) => dialog(page).getByRole("button", { name: /^Undo \d+ files?$/ });
const outcome = (page: Page, path: string) => dialog(page).getByRole("listitem").filter({ hasText: path });
const onDisk = (gateway: Gateway, path: string) => readFile(join(gateway.files.workspace, path), "utf8").catch(() => undefined);

type Answer = { ok: boolean; payload?: unknown; error?: unknown };

/** Lets the page see other answers than the gateway gives. */
async function withAnswers(page: Page, change: (method: string, answer: Answer) => Answer): Promise<void> {
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    const asked = new Map<string, string>();
    socket.onMessage((text) => {
      const { id, method } = JSON.parse(String(text)) as { id: string; method: string };
      asked.set(id, method);
      server.send(text);
    });
    server.onMessage((text) => {
      const frame = JSON.parse(String(text)) as Answer & { type: string; id: string };
      socket.send(frame.type === "res" ? JSON.stringify({ ...frame, ...change(asked.get(frame.id) ?? "", frame) }) : text);
    });
  });
}

/** A turn that makes these tool calls. */
async function act(page: Page, model: Model, ...calls: ScriptStep[]): Promise<void> {
  model.reply(...calls).reply("It is done.");
  await field(page).fill("Please change my files.");
  await field(page).press("Enter");
  await expect(page.locator(".msg:not(.me) .md").last()).toHaveText("It is done.");
}

const newPlan: ScriptStep = { tool: "write", arguments: { path: "plan.md", content: "One\nTwo\n" } };
const editedNotes: ScriptStep = { tool: "edit", arguments: { path: "notes.md", old_string: "Buy seeds.", new_string: "Buy seeds and soil.\nBuy pots." } };

test("a turn that changed files says which, and shows their lines", async ({ studio, model }) => {
  await act(studio, model, newPlan, editedNotes);
  await expect(summary(studio)).toHaveText(/2 files changed\s*\+4 −1/);
  await expect(summary(studio)).toHaveAttribute("aria-expanded", "false");
  await summary(studio).click();
  await expect(file(studio, "notes.md")).toContainText("modified");
  await expect(file(studio, "notes.md")).toContainText("+2 −1");
  await expect(file(studio, "plan.md")).toContainText("added");
  await fileButton(studio, "notes.md").click();
  const changed = lines(studio, "notes.md");
  await expect(changed.getByRole("deletion")).toHaveText([/-\s*Buy seeds\.$/]);
  await expect(changed.getByRole("insertion")).toHaveText([/\+\s*Buy seeds and soil\.$/, /\+\s*Buy pots\.$/]);
  await expect(changed).toContainText("Water the plants.");
  await fileButton(studio, "notes.md").click();
  await expect(changed).toHaveCount(0);
});

test("a turn that changed no file has no such line", async ({ studio, model }) => {
  await act(studio, model, { tool: "read", arguments: { path: "notes.md" } });
  await expect(card(studio)).toHaveCount(0);
});

test("an undo shows what would happen to each file, does it once it is confirmed, and reports each", async ({ studio, model, gateway }) => {
  await act(studio, model, newPlan, editedNotes);
  await undo(studio).click();
  await expect(dialog(studio).getByRole("status").first()).toHaveText("2 files go back to how they were before the turn.");
  await expect(outcome(studio, "notes.md")).toContainText("Gets its earlier content back.");
  await expect(outcome(studio, "plan.md")).toContainText("Is removed: it did not exist before the turn.");
  expect(await onDisk(gateway, "plan.md")).toBe("One\nTwo\n");
  expect(await barriers(studio)).toEqual([]);
  await confirm(studio).click();
  await expect(dialog(studio).getByRole("heading", { name: "The changes were undone" })).toBeVisible();
  await expect(outcome(studio, "notes.md")).toContainText("Has its earlier content again.");
  await expect(outcome(studio, "plan.md")).toContainText("Was removed: it did not exist before the turn.");
  expect([await onDisk(gateway, "notes.md"), await onDisk(gateway, "plan.md")]).toEqual([notes, undefined]);
  await dialog(studio).getByRole("button", { name: "Close" }).last().click();
  await expect(card(studio)).toContainText("Undone");
  await expect(undo(studio)).toHaveCount(0);
});

test("a cancelled undo changes nothing", async ({ studio, model, gateway }) => {
  await act(studio, model, newPlan);
  await undo(studio).click();
  await expect(confirm(studio)).toBeVisible();
  await dialog(studio).getByRole("button", { name: "Cancel" }).click();
  await expect(dialog(studio)).toHaveCount(0);
  await expect(undo(studio)).toBeFocused();
  expect(await onDisk(gateway, "plan.md")).toBe("One\nTwo\n");
});

test("a file that changed since stays as it is, with the reason; the others are put back", async ({ studio, model, gateway }) => {
  await act(studio, model, newPlan, editedNotes);
  await gateway.writeFile("workspace/notes.md", "My own words.\n");
  await undo(studio).click();
  await expect(outcome(studio, "notes.md")).toContainText(/Stays as it is: \S.+\.$/);
  await expect(dialog(studio).getByRole("status").first()).toContainText("1 file stays as it is.");
  await confirm(studio).click();
  await expect(outcome(studio, "notes.md")).toContainText(/Was left as it is: \S.+\.$/);
  await expect(outcome(studio, "plan.md")).toContainText("Was removed");
  expect([await onDisk(gateway, "notes.md"), await onDisk(gateway, "plan.md")]).toEqual(["My own words.\n", undefined]);
  await dialog(studio).getByRole("button", { name: "Close" }).last().click();
  await expect(card(studio)).toContainText("1 of 2 undone");
});

test("the changed files are there after a reload, and follow an undo of another client", async ({ studio, model, gateway }) => {
  await act(studio, model, newPlan, editedNotes);
  await expect(card(studio)).toBeVisible();
  await studio.reload();
  await connected(studio);
  await expect(summary(studio)).toContainText("2 files changed");
  const { runs } = await gateway.call("sessions.changes", { key: KEY });
  await gateway.call("sessions.undo", { key: KEY, runId: runs[0]?.runId ?? "" });
  await expect(card(studio)).toContainText("Undone");
  await studio.reload();
  await connected(studio);
  await expect(card(studio)).toContainText("Undone");
});

test("a restart of the gateway keeps the changed files, their open diff and their undo", async ({ studio, model, gateway }) => {
  await act(studio, model, editedNotes);
  await summary(studio).click();
  await fileButton(studio, "notes.md").click();
  await expect(lines(studio, "notes.md")).toContainText("Buy pots.");
  await reconnected(studio, () => gateway.restart());
  await expect(lines(studio, "notes.md")).toContainText("Buy pots.");
  await undo(studio).click();
  await confirm(studio).click();
  await expect(outcome(studio, "notes.md")).toContainText("Has its earlier content again.");
  expect(await onDisk(gateway, "notes.md")).toBe(notes);
});

test("an undo that is open when the connection is lost is checked again, not done", async ({ studio, model, gateway }) => {
  await act(studio, model, newPlan);
  await undo(studio).click();
  await expect(confirm(studio)).toBeVisible();
  await gateway.stop();
  await confirm(studio).click();
  await expect(dialog(studio).getByRole("alert")).toContainText("It is not known which files were put back.");
  await gateway.start();
  await expect(confirm(studio)).toBeVisible();
  expect(await onDisk(gateway, "plan.md")).toBe("One\nTwo\n");
});

test("paths and lines are never markup, and invisible characters are shown", async ({ studio, model }) => {
  const path = "<b>bold &amp; <i>.md";
  const content = "<img src=x onerror=document.title=1>\nif (isOwner\u202E) {\u2066\n\u001B[31mred\n";
  await act(studio, model, { tool: "write", arguments: { path, content } });
  await summary(studio).click();
  await fileButton(studio, path).click();
  const changed = lines(studio, path);
  await expect(changed).toContainText("<img src=x onerror=document.title=1>");
  await expect(changed).toContainText("if (isOwner[U+202E]) {[U+2066]");
  await expect(changed).toContainText("[U+001B][31mred");
  await expect(changed.locator("img")).toHaveCount(0);
  expect(await changed.innerText()).not.toMatch(/[\u202E\u2066\u001B]/);
});

test("each kind of change, each state of its undo and each missing diff has its words", async ({ studio, model }) => {
  await act(studio, model, newPlan);
  const change = (path: string, kind: string, undo: string, more = {}) => ({ path, kind, added: 1, removed: 2, undo, ...more });
  const files = [
    change("a.md", "deleted", "too-large"),
    change("b.md", "moved", "expired", { movedFrom: "old\u202Eb.md" }),
    change("c.png", "added", "changed-meanwhile", { added: null, removed: null }),
  ];
  const omitted: Record<string, string> = { "a.md": "too-large", "b.md": "expired", "c.png": "binary" };
  await withAnswers(studio, (method, answer) => {
    if (method === "sessions.changes") return { ...answer, payload: { runs: (answer.payload as { runs: object[] }).runs.map((run) => ({ ...run, files })) } };
    if (method === "sessions.diff") return { ok: true, payload: { runId: "r", files: files.map(({ path }) => ({ path, hunks: [], omitted: omitted[path] })) } };
    return answer;
  });
  await studio.reload();
  await connected(studio);
  await expect(summary(studio)).toHaveText(/3 files changed\s*\+2 −4/);
  await expect(undo(studio)).toHaveCount(0);
  await summary(studio).click();
  for (const path of Object.keys(omitted)) await fileButton(studio, path).click();
  await expect(file(studio, "a.md")).toContainText(/deleted.*a\.md.*Cannot be undone: its earlier content was too large to keep\..*The change is too large\./);
  await expect(file(studio, "b.md")).toContainText(/moved.*b\.md.*from old\[U\+202E\]b\.md.*Can no longer be undone.*The earlier content is no longer kept\./);
  await expect(file(studio, "c.png")).toContainText(/added.*c\.png.*not text.*changed by someone else during the turn.*The file is not text\./);
  expect(await barriers(studio)).toEqual([]);
});

test("a list that cannot be loaded says so, and can be requested again", async ({ studio, model }) => {
  await act(studio, model, newPlan);
  let fails = true;
  await withAnswers(studio, (method, answer) =>
    method === "sessions.changes" && fails ? { ok: false, error: { code: "UNAVAILABLE", message: "the disk is busy" } } : answer,
  );
  await studio.reload();
  await connected(studio);
  const problem = studio.getByRole("alert").filter({ hasText: "The changed files could not be loaded." });
  await expect(problem).toContainText("the disk is busy");
  fails = false;
  await problem.getByRole("button", { name: "Try again" }).click();
  await expect(summary(studio)).toContainText("1 file changed");
  await expect(problem).toHaveCount(0);
});

test("a page that may only read shows changed files without an undo", async ({ studio, model }) => {
  await act(studio, model, newPlan);
  await withAnswers(studio, (method, answer) => {
    if (method !== "connect") return answer;
    const hello = answer.payload as { auth: object };
    return { ...answer, payload: { ...hello, auth: { ...hello.auth, scopes: ["operator.read"] } } };
  });
  await studio.reload();
  await connected(studio);
  await expect(summary(studio)).toContainText("1 file changed");
  await expect(undo(studio)).toHaveCount(0);
});

test("a gateway without these methods is not asked for them", async ({ studio, model }) => {
  await act(studio, model, newPlan);
  const asked: string[] = [];
  await withAnswers(studio, (method, answer) => {
    asked.push(method);
    if (method !== "connect") return answer;
    const hello = answer.payload as { features: { methods: string[] } };
    const methods = hello.features.methods.filter((name) => !/^sessions\.(changes|diff|undo)$/.test(name));
    return { ...answer, payload: { ...hello, features: { ...hello.features, methods } } };
  });
  await studio.reload();
  await connected(studio);
  await expect(studio.locator(".msg:not(.me) .md").last()).toHaveText("It is done.");
  expect(asked).toContain("chat.history");
  expect(asked).not.toContain("sessions.changes");
  await expect(card(studio)).toHaveCount(0);
});

test("a long diff is shown in steps", async ({ studio, model }) => {
  const content = Array.from({ length: 2_600 }, (_, line) => `line ${line + 1}\n`).join("");
  await act(studio, model, { tool: "write", arguments: { path: "long.txt", content } });
  await expect(summary(studio)).toContainText("+2,600");
  await summary(studio).click();
  await fileButton(studio, "long.txt").click();
  const added = lines(studio, "long.txt").getByRole("insertion");
  await expect(added).toHaveCount(500);
  await file(studio, "long.txt").getByRole("button", { name: "Show 2,000 more lines" }).click();
  await file(studio, "long.txt").getByRole("button", { name: "Show 100 more lines" }).click();
  await expect(added).toHaveCount(2_600);
  await expect(lines(studio, "long.txt")).toBeFocused();
});

test("the keyboard alone opens a diff and undoes the turn", async ({ studio, model, gateway }) => {
  await act(studio, model, newPlan);
  const person = asPerson(studio);
  await person.press("Shift+F6");
  await expect(studio.getByRole("region", { name: "Conversation" })).toBeFocused();
  await person.use(summary(studio));
  await person.use(fileButton(studio, "plan.md"));
  await person.tabTo(lines(studio, "plan.md"));
  await person.tabTo(undo(studio), { back: true });
  await person.press("Enter");
  await expect(dialog(studio).getByRole("status").first()).toBeFocused();
  await person.use(confirm(studio));
  await expect(dialog(studio).getByRole("status").first()).toBeFocused();
  await person.press("Escape");
  await expect(dialog(studio)).toHaveCount(0);
  await expect(field(studio)).toBeFocused();
  expect(await onDisk(gateway, "plan.md")).toBeUndefined();
});

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`${colorScheme}, on a narrow screen`, () => {
    test.use({ colorScheme, viewport: { width: 390, height: 844 }, contextOptions: { reducedMotion: "reduce" } });

    test("changed files and their diff fit and are accessible", async ({ studio, model }) => {
      const path = "a/rather/long/path/that/does/not/fit/on/one/line/of/a/telephone.md";
      await act(studio, model, { tool: "write", arguments: { path, content: `${"wide ".repeat(60)}\n` } }, editedNotes);
      await summary(studio).click();
      await fileButton(studio, path).click();
      await expect(lines(studio, path)).toContainText("wide");
      expect(await barriers(studio)).toEqual([]);
      expect(await studio.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      expect(await lines(studio, path).evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
      expect(await overlaps(studio)).toEqual([]);
      await undo(studio).click();
      await expect(confirm(studio)).toBeVisible();
      expect(await barriers(studio)).toEqual([]);
    });
  });
}

test.describe("in Chinese", () => {
  test.use({ locale: "zh-CN" });

  test("the changed files, their diff and their undo are in Chinese", async ({ studio, model }) => {
    await act(studio, model, newPlan);
    const own = studio.getByRole("region", { name: "更改了 1 个文件" });
    await own.getByRole("button", { name: /^更改了/ }).click();
    await expect(own.getByRole("listitem")).toContainText("新增");
    await own.getByRole("listitem").getByRole("button").click();
    await expect(studio.getByRole("group", { name: "plan.md 中更改的行" })).toContainText("第 1 行");
    await own.getByRole("button", { name: "撤销这一轮的更改" }).click();
    await dialog(studio).getByRole("button", { name: "撤销 1 个文件" }).click();
    await expect(dialog(studio).getByRole("listitem")).toContainText("已删除：这一轮之前没有此文件。");
    expect(await barriers(studio)).toEqual([]);
  });
});

/** Pairs of texts and buttons of the card that lie on each other. */
function overlaps(page: Page): Promise<string[]> {
  return card(page).evaluate((root) => {
    const leaves = [...root.querySelectorAll<HTMLElement>(".head > *, .file > *")].filter((element) => element.getClientRects().length > 0);
    const lies = (one: DOMRect, other: DOMRect) => one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1;
    return leaves.flatMap((one, index) =>
      leaves.slice(index + 1).filter((other) => lies(one.getBoundingClientRect(), other.getBoundingClientRect())).map((other) => `${one.textContent} on ${other.textContent}`),
    );
  });
}
