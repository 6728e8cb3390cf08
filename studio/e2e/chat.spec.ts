// The chat against a real gateway: streaming, tools, menus, stopping; no message is lost or shown twice.
import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { Gate, asPerson, connected, expect, reconnected, test } from "./harness";
import { barriers } from "./harness/axe";

const field = (page: Page) => page.locator("#msg");
const mine = (page: Page) => page.locator(".msg.me .body");
const answers = (page: Page) => page.locator(".msg:not(.me) .md");
const nav = (page: Page) => page.getByRole("navigation");
const working = (page: Page) => page.getByRole("button", { name: "Stop", exact: true });

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Enter");
}

/** The messages on the page, in order, without status texts. */
const shown = (page: Page) => page.locator(".msg.me .body, .msg:not(.me) .md").allInnerTexts();

test.describe("the demo", () => {
  test.use({ scene: { demo: true } });

  test("an answer streams, with the card of the tool that it used", async ({ studio }) => {
    await say(studio, "What is in my notes?");
    await expect(answers(studio).last()).toContainText("Water the plants on Thursday.");
    const card = studio.locator("details.tool", { hasText: "notes.md" });
    await expect(card.getByText("ok", { exact: true })).toBeVisible();
    await card.locator("summary").click();
    await expect(card.getByRole("group", { name: "Output of read" })).toContainText("Water the plants on Thursday.");
    await expect(card.getByRole("group", { name: "Arguments" })).toContainText('"path": "notes.md"');
    await expect(studio.locator(".usage")).toContainText(/This turn: [\d,]+ in, \d+ out/);
    await expect(studio.locator(".usage")).toContainText(/Session: [\d,]+ tokens/);
    await expect(studio.locator(".usage")).toContainText(/\d+% of the context/);
    await expect(working(studio)).toHaveCount(0);
    expect(await mine(studio).allInnerTexts()).toEqual(["What is in my notes?"]);
  });

  test("the menu of the Application Manager has a button for every choice, and only the newest can be pressed", async ({ studio, gateway }) => {
    await studio.getByRole("button", { name: "application manager" }).click();
    const menus = studio.locator("section.menu");
    await expect(menus).toHaveCount(1);
    await expect(menus.getByRole("button")).toHaveText([/Demo Clock/, "add", "edit", "delete", "policy", "validate", "quit"]);
    await menus.getByRole("button", { name: "policy" }).click();
    await expect(menus).toHaveCount(2);
    await expect(menus.first().getByRole("button", { name: "add" })).toBeDisabled();
    await menus.last().getByRole("button", { name: /1\.\s*Demo Clock/ }).click();
    await menus.last().getByRole("button", { name: /Set mode to off/ }).click();
    await menus.last().getByRole("button", { name: "no", exact: true }).click();
    await expect(studio.locator(".notice-text").last()).toHaveText("Nothing was saved.");
    await menus.last().getByRole("button", { name: "quit" }).click();
    await expect(answers(studio).last()).toHaveText("Application Manager closed.");
    const { messages } = await gateway.call("chat.history", { sessionKey: "agent:main:main" });
    const said = messages.filter(({ role }) => role === "user").map(({ content }) => content);
    expect(said).toEqual(["application manager", "policy", "1", "3", "no", "quit"].map((text) => [{ type: "text", text }]));
  });

  test("the same menu in Chinese, on a Chinese page", async ({ studio }) => {
    await studio.getByRole("button", { name: "切换到中文" }).click();
    await studio.getByRole("button", { name: "应用程序管理器" }).click();
    const menu = studio.getByRole("region", { name: "应用程序管理器" });
    await expect(menu.getByRole("heading", { name: "命令" })).toBeVisible();
    await menu.getByRole("button", { name: "quit" }).click();
    await expect(answers(studio).last()).toHaveText("应用程序管理器已关闭。");
    await expect(studio.getByRole("button", { name: "发送" })).toBeVisible();
  });

  test("all of it works by keyboard alone", async ({ studio }) => {
    const person = asPerson(studio);
    await expect(field(studio)).toBeVisible();
    await person.press("F6", "F6", "F6");
    await expect(field(studio)).toBeFocused();
    await studio.keyboard.type("application manager");
    await person.press("Shift+Enter");
    await expect(field(studio)).toHaveValue("application manager\n");
    await person.press("Backspace", "Enter");
    await expect(field(studio)).toHaveValue("");
    await person.press("Shift+F6");
    await expect(studio.getByRole("region", { name: "Conversation" })).toBeFocused();
    await person.use(studio.locator("section.menu").getByRole("button", { name: "quit" }));
    await expect(answers(studio).last()).toHaveText("Application Manager closed.");
  });
});

test("Esc stops the turn and keeps the draft", async ({ studio, model }) => {
  const gate = new Gate();
  model.reply("One, two, three,", gate, " four");
  await say(studio, "Count");
  await expect(answers(studio).last()).toHaveText("One, two, three,");
  await field(studio).fill("not yet");
  await field(studio).press("Escape");
  await expect(working(studio)).toHaveCount(0);
  await expect(field(studio)).toHaveValue("not yet");
  await expect(studio.locator("[data-announces]")).toHaveText("Stopped.");
  expect(await shown(studio)).toEqual(["Count", "One, two, three,"]);
});

test("a message that is sent while a turn runs waits, and is answered after it", async ({ studio, model }) => {
  const gate = new Gate();
  model.reply("First:", gate, " answer.").reply("Second answer.");
  await say(studio, "One");
  await expect(answers(studio).last()).toHaveText("First:");
  await say(studio, "Two");
  await expect(studio.locator(".msg.me", { hasText: "Two" })).toContainText("Queued");
  gate.open();
  await expect(answers(studio)).toHaveText(["First: answer.", "Second answer."]);
  await expect(studio.getByText("Queued")).toHaveCount(0);
});

test("a reload during a turn loses and duplicates nothing", async ({ studio, model }) => {
  const gate = new Gate();
  model.reply("Half,", gate, " and half.");
  await say(studio, "Go on");
  await expect(answers(studio).last()).toHaveText("Half,");
  await field(studio).fill("a draft");
  await studio.reload();
  await connected(studio);
  await expect(working(studio)).toBeVisible();
  await expect(field(studio)).toHaveValue("a draft");
  gate.open();
  await expect(answers(studio)).toHaveText(["Half, and half."]);
  await expect(working(studio)).toHaveCount(0);
  expect(await shown(studio)).toEqual(["Go on", "Half, and half."]);
});

for (const kill of [false, true]) {
  test(`a gateway that is ${kill ? "killed" : "restarted"} in the middle of a turn loses and doubles nothing`, async ({ studio, gateway, model }) => {
    const gate = new Gate();
    model.reply("Half,", gate, " and half.").reply("All of it.");
    await say(studio, "Go on");
    await expect(answers(studio).last()).toHaveText("Half,");
    if (!kill) gate.open();
    await reconnected(studio, () => gateway.restart({ kill }));
    await expect(working(studio)).toHaveCount(0);
    await expect(answers(studio)).toHaveText([/^Half/]);
    await expect(mine(studio)).toHaveText(["Go on"]);
    const { messages } = await gateway.call("chat.history", { sessionKey: "agent:main:main" });
    expect(messages.filter(({ role }) => role === "user" || role === "assistant")).toHaveLength(2);
    if (kill) await expect(studio.getByText("The answer was interrupted.")).toBeVisible();
    await say(studio, "And now?");
    await expect(mine(studio)).toHaveText(["Go on", "And now?"]);
  });
}

test("a message sent while the gateway is away is sent once when it is back", async ({ studio, gateway, model }) => {
  model.reply("Here I am.");
  await gateway.stop();
  await expect(studio.getByText("No connection: messages are kept here")).toBeVisible();
  await say(studio, "Are you there?");
  await expect(studio.getByText("Sent when the gateway is back", { exact: true })).toBeVisible();
  await gateway.start();
  await expect(answers(studio)).toHaveText(["Here I am."]);
  expect(await shown(studio)).toEqual(["Are you there?", "Here I am."]);
  const { messages } = await gateway.call("chat.history", { sessionKey: "agent:main:main" });
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("a message whose acknowledgement is lost appears once", async ({ page, gateway, model, watch }) => {
  watch.allowNoGateway();
  model.reply("Once.");
  const keys: string[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    let sent = "";
    socket.onMessage((message) => {
      const frame = JSON.parse(String(message)) as { id: string; method?: string; params?: { idempotencyKey?: string } };
      if (frame.method === "chat.send") {
        keys.push(frame.params?.idempotencyKey ?? "");
        if (keys.length === 1) sent = frame.id;
      }
      server.send(message);
    });
    server.onMessage((message) => {
      // The gateway has received it, but the page never learns that.
      if (sent !== "" && (JSON.parse(String(message)) as { id?: string }).id === sent) void socket.close({ code: 1012 });
      else if (sent === "") socket.send(message);
    });
  });
  await page.goto(gateway.link());
  await connected(page);
  await say(page, "Only once");
  await expect(answers(page)).toHaveText(["Once."]);
  expect(await shown(page)).toEqual(["Only once", "Once."]);
  expect(new Set(keys).size).toBe(1);
  const { messages } = await gateway.call("chat.history", { sessionKey: "agent:main:main" });
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("the shown part of a broken answer is withdrawn", async ({ studio, model }) => {
  const [shows, goes] = [new Gate(), new Gate()];
  model.reply("A wrong beginning:", shows, { cut: true }).reply(goes, "The whole answer.");
  await say(studio, "Try");
  await expect(answers(studio).last()).toHaveText("A wrong beginning:");
  shows.open();
  await expect(studio.getByText("The answer broke off and is requested again.")).toBeVisible();
  await expect(studio.getByText("A wrong beginning:")).toHaveCount(0);
  goes.open();
  await expect(answers(studio)).toHaveText(["The whole answer."]);
});

test("a failed run says why, and can be tried again", async ({ studio, model }) => {
  model.reply({ status: 400, message: "this model is closed" }).reply("Now it works.");
  await say(studio, "Hello");
  await expect(studio.locator(".banner.bad")).toContainText("this model is closed");
  await studio.getByRole("button", { name: "Try again" }).click();
  await expect(answers(studio).last()).toHaveText("Now it works.");
});

test("a message from another client appears at once", async ({ studio, gateway, model }) => {
  model.reply("Hello to both.");
  await gateway.call("chat.send", { sessionKey: "agent:main:main", message: "From elsewhere", idempotencyKey: randomUUID() });
  await expect(mine(studio)).toHaveText(["From elsewhere"]);
  await expect(answers(studio)).toHaveText(["Hello to both."]);
});

test("a new session is its own, and a link leads to it", async ({ studio, model }) => {
  model.reply("In main.").reply("In the new one.");
  await say(studio, "One");
  await expect(answers(studio)).toHaveText(["In main."]);
  await studio.getByRole("main").getByRole("button", { name: "New session" }).click();
  await expect(studio.getByRole("heading", { name: "Talk to" })).toBeVisible();
  await expect(field(studio)).toBeFocused();
  await say(studio, "Two");
  await expect(answers(studio)).toHaveText(["In the new one."]);
  const address = studio.url();
  expect(address).toContain("?session=agent:main:");
  await nav(studio).getByRole("link", { name: /^main/ }).click();
  await expect(answers(studio)).toHaveText(["In main."]);
  await studio.goto(address);
  await expect(answers(studio)).toHaveText(["In the new one."]);
});

test("a reset asks first, says that the transcript is kept, and starts anew", async ({ studio, gateway, model }) => {
  model.reply("Before.").reply("After.");
  await say(studio, "One");
  await expect(answers(studio)).toHaveText(["Before."]);
  await studio.getByRole("button", { name: "Reset…" }).click();
  const dialog = studio.getByRole("alertdialog");
  await expect(dialog).toContainText("The gateway keeps the conversation");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(answers(studio)).toHaveText(["Before."]);
  await studio.getByRole("button", { name: "Reset…" }).click();
  await dialog.getByRole("button", { name: "Reset session" }).click();
  await expect(answers(studio)).toHaveCount(0);
  await say(studio, "Two");
  await expect(answers(studio)).toHaveText(["After."]);
  const { transcripts } = await gateway.call("sessions.transcripts", { key: "agent:main:main" });
  expect(transcripts).toHaveLength(2);
});

test("/new typed as a message begins anew as well", async ({ studio, model }) => {
  model.reply("Before.");
  await say(studio, "One");
  await expect(answers(studio)).toHaveText(["Before."]);
  await say(studio, "/new");
  await expect(answers(studio)).toHaveText([/^A new session has started\./]);
  await expect(mine(studio).filter({ hasText: "One" })).toHaveCount(0);
});

test("Markdown is rendered, and model output is never markup", async ({ studio, model }) => {
  model.reply("# Plan\n\n1. one\n2. **two**\n\n```sh\nnpm test\n```\n\n[good](https://example.org/) [bad](javascript:alert(1)) <img src=x onerror=alert(1)>");
  await say(studio, "Plan");
  const answer = answers(studio).last();
  await expect(answer.getByRole("heading", { name: "Plan" })).toBeVisible();
  await expect(answer.getByRole("listitem")).toHaveCount(2);
  await expect(answer.getByRole("button", { name: "Copy code" })).toBeVisible();
  const links = answer.getByRole("link");
  await expect(links).toHaveCount(1);
  await expect(links).toHaveAttribute("rel", /noopener/);
  await expect(answer).toContainText("<img src=x onerror=alert(1)>");
  await expect(answer.locator("img")).toHaveCount(0);
});

test("pictures and text files go with a message; what is neither is refused by its name", async ({ studio, gateway, model }) => {
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");
  model.reply("I see both.");
  await expect(studio.getByRole("button", { name: "Attach a file" })).toBeVisible();
  await studio.locator("input[data-attach]").setInputFiles([
    { name: "dot.png", mimeType: "image/png", buffer: png },
    { name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("milk and bread") },
    { name: "thing.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 1, 2]) },
  ]);
  await expect(studio.getByRole("alert")).toContainText("thing.bin was not attached");
  await expect(studio.getByRole("list", { name: "Attached files" }).getByRole("listitem")).toHaveCount(2);
  await say(studio, "Look at these");
  await expect(answers(studio)).toHaveText(["I see both."]);
  await expect(mine(studio).getByRole("img", { name: "Image" })).toBeVisible();
  await expect(mine(studio)).toContainText("list.txt");
  await expect(studio.getByRole("list", { name: "Attached files" })).toHaveCount(0);
  const { messages } = await gateway.call("chat.history", { sessionKey: "agent:main:main" });
  expect(messages[0]?.content.map(({ type }) => type).sort()).toEqual(["file", "image", "text"]);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("milk and bread");
});

test("a long conversation renders visible rows, loads older pages without a jump, and announces new messages", async ({ studio, gateway, model }) => {
  for (let turn = 0; turn < 90; turn += 1) {
    const runId = randomUUID();
    await gateway.call("chat.send", { sessionKey: "agent:main:main", message: "/whoami", idempotencyKey: runId });
    await gateway.call("agent.wait", { runId, timeoutMs: 15_000 });
  }
  await studio.reload();
  await connected(studio);
  await expect(answers(studio).last()).toBeInViewport();
  expect(await studio.locator(".row-box").count()).toBeLessThan(60);
  const scroll = studio.getByRole("region", { name: "Conversation" });
  const height = await scroll.evaluate((box) => box.scrollHeight);
  // The reading position stays while older rows are inserted above.
  const read = await scroll.evaluate(async (box) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const inSight = () => {
      const row = [...box.querySelectorAll<HTMLElement>(".row-box")].find((row) => row.getBoundingClientRect().top > box.getBoundingClientRect().top);
      return { key: row?.dataset["key"] ?? "", top: row?.getBoundingClientRect().top ?? 0 };
    };
    box.scrollTo({ top: 300 });
    // Rows that were never drawn are measured first.
    let last = inSight();
    for (let same = 0; same < 3; ) {
      await frame();
      const now = inSight();
      same = now.key === last.key && now.top === last.top ? same + 1 : 0;
      last = now;
    }
    return last;
  });
  await expect.poll(() => scroll.evaluate((box) => box.scrollHeight)).toBeGreaterThan(height + 1000);
  const moved = async () => Math.abs(((await studio.locator(`.row-box[data-key="${read.key}"]`).boundingBox())?.y ?? 0) - read.top);
  await expect.poll(moved).toBeLessThan(4);
  // Scrolling up reaches the very first item.
  await expect
    .poll(async () => {
      await scroll.evaluate((box) => box.scrollTo({ top: 0 }));
      return studio.locator(".row-box").first().getAttribute("data-key");
    })
    .toBe("i1");
  const top = studio.locator('.row-box[data-key="i1"]');
  await expect(top).toBeInViewport();
  model.reply("News.");
  await gateway.call("chat.send", { sessionKey: "agent:main:main", message: "Anything new?", idempotencyKey: randomUUID() });
  const button = studio.getByRole("button", { name: "New messages" });
  await expect(button).toBeVisible();
  await expect(top).toBeInViewport();
  await button.click();
  await expect(answers(studio).last()).toHaveText("News.");
  await expect(answers(studio).last()).toBeInViewport();
});

test("the model and how long it thinks are set for the session", async ({ studio, gateway, model }) => {
  model.reply("Hello.");
  await say(studio, "Hello");
  await expect(answers(studio)).toHaveText(["Hello."]);
  await studio.getByLabel("Thinking").selectOption({ label: "Thinking: high" });
  await studio.getByRole("combobox", { name: "Model" }).selectOption("cellar/scripted");
  await expect
    .poll(async () => (await gateway.call("sessions.list", {})).sessions[0])
    .toMatchObject({ thinkingLevel: "high", modelProvider: "cellar", model: "scripted" });
  await expect(studio.locator(".usage")).toContainText("of the context");
});

test("an answer that prints a menu page gets no buttons", async ({ studio, model }) => {
  model.reply("Application Manager\n\n1. Firefox\n\nReply with `add`, `edit`, `delete`, `policy`, `validate` or `quit`.");
  await say(studio, "hello");
  await expect(answers(studio).last()).toContainText("Reply with");
  await expect(studio.locator("section.menu")).toHaveCount(0);
});

for (const viewport of [{ width: 1280, height: 900 }, { width: 375, height: 812 }]) {
  test.describe(`${viewport.width} pixels wide`, () => {
    test.use({ viewport, contextOptions: { reducedMotion: "reduce" } });

    test("a full conversation is accessible, also without a connection", async ({ studio, gateway, model }) => {
      await gateway.writeFile("workspace/notes.md", "Water the plants.");
      model.reply({ tool: "read", arguments: { path: "notes.md" } }).reply("| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet a = 1;\n```\n\n> quoted [link](https://example.org/)");
      await say(studio, "Show me");
      await expect(answers(studio).last().getByRole("table")).toBeVisible();
      await studio.locator("details.tool summary").click();
      await say(studio, "/apps");
      await expect(studio.locator("section.menu")).toBeVisible();
      expect(await barriers(studio)).toEqual([]);
      const [width, all] = await studio.evaluate(() => [document.documentElement.clientWidth, document.documentElement.scrollWidth]);
      expect(all).toBeLessThanOrEqual(width ?? 0);
      await gateway.stop();
      await expect(studio.getByText("No connection: messages are kept here")).toBeVisible();
      expect(await barriers(studio)).toEqual([]);
    });
  });
}

test.describe("without a model", () => {
  test.use({ scene: { config: { agents: { defaults: { model: null } }, models: null } } });

  test("the page says how to add one, and commands still work", async ({ studio }) => {
    await expect(studio.getByText("No language model is available yet")).toBeVisible();
    await studio.getByRole("button", { name: "/help" }).click();
    await expect(answers(studio)).toContainText(["/status"]);
  });
});
