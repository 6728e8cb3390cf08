// A turn that a reload or a gateway restart interrupts: afterwards every message is there once.
// The page is compared with what another client reads.
import type { Page, WebSocketRoute } from "@playwright/test";
import { Gate, connected, expect, reconnected, test } from "./harness";
import type { Gateway } from "./harness/gateway";

const SESSION = "agent:main:main";
const thread = (page: Page) => page.getByRole("log");

test("after a reload in the middle of an answer it goes on, and each message is there once", async ({ studio, gateway, model }) => {
  const gate = new Gate();
  model.reply("The first half stands here. ", gate, "The second half came later.");
  await say(studio, "Tell me both halves, please.");
  await gate.reached;
  await expect(thread(studio)).toContainText("The first half stands here.");
  await studio.reload();
  await connected(studio);
  await expect(thread(studio)).toContainText("Tell me both halves, please.");
  gate.open();
  await expect(thread(studio)).toContainText("The second half came later.");
  await isAsTheGatewayHasIt(studio, gateway, { answers: 1 });
});

test("a connection that is lost in the middle of an answer costs nothing", async ({ page, gateway, model, watch }) => {
  watch.allowNoGateway();
  let live: WebSocketRoute | undefined;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    socket.connectToServer();
    live = socket;
  });
  await page.goto(gateway.link());
  await connected(page);
  const gate = new Gate();
  model.reply("One, before the gap. ", gate, "Two, during it.");
  await say(page, "Count with a gap.");
  await gate.reached;
  await expect(thread(page)).toContainText("One, before the gap.");
  const before = live;
  await before?.close({ code: 4999, reason: "cut by the test" });
  gate.open();
  await expect.poll(() => live !== before).toBe(true);
  await connected(page);
  await expect(thread(page)).toContainText("Two, during it.");
  await isAsTheGatewayHasIt(page, gateway, { answers: 1 });
});

for (const kill of [false, true]) {
  test(`after the gateway ${kill ? "was killed" : "restarted"} in the middle of an answer the page shows what was kept, once`, async ({
    studio,
    gateway,
    model,
  }) => {
    model.reply("An answer from before.");
    await say(studio, "A question from before.");
    await expect(thread(studio)).toContainText("An answer from before.");
    const gate = new Gate();
    model.reply("This answer begins. ", gate, "This answer never ends.");
    await say(studio, "A question that is cut off.");
    await gate.reached;
    await expect(thread(studio)).toContainText("This answer begins.");
    await reconnected(studio, () => gateway.restart({ kill }));
    await isAsTheGatewayHasIt(studio, gateway, {});
    model.reply("An answer from afterwards.");
    await say(studio, "A question from afterwards.");
    await expect(thread(studio)).toContainText("An answer from afterwards.");
    await isAsTheGatewayHasIt(studio, gateway, {});
    await studio.reload();
    await connected(studio);
    await expect(thread(studio)).toContainText("An answer from afterwards.");
    await isAsTheGatewayHasIt(studio, gateway, {});
  });
}

test("a message from another client appears once, also after a reload", async ({ studio, gateway, model }) => {
  await expect(studio.locator("#msg")).toBeVisible();
  model.reply("Said to both of you.");
  await gateway.call("chat.send", { sessionKey: SESSION, message: "From the other side.", idempotencyKey: "other-1" });
  await expect(thread(studio)).toContainText("Said to both of you.");
  await isAsTheGatewayHasIt(studio, gateway, { answers: 1 });
  await studio.reload();
  await expect(thread(studio)).toContainText("Said to both of you.");
  await isAsTheGatewayHasIt(studio, gateway, { answers: 1 });
});

async function say(page: Page, text: string): Promise<void> {
  await page.locator("#msg").fill(text);
  await page.locator("#msg").press("Enter");
  await expect(thread(page)).toContainText(text);
}

/** Every text of the transcript is on the page the same number of times, and nothing else is. */
async function isAsTheGatewayHasIt(page: Page, gateway: Gateway, expected: { answers?: number }): Promise<void> {
  await expect(async () => {
    const { messages } = await gateway.call("chat.history", { sessionKey: SESSION });
    const textsOf = (role: string) =>
      messages
        .filter((item) => item.role === role)
        .flatMap((item) => item.content.flatMap((block) => ("text" in block && typeof block.text === "string" ? [block.text.trim()] : [])));
    const [questions, answers] = [textsOf("user"), textsOf("assistant")];
    if (expected.answers !== undefined) expect(answers).toHaveLength(expected.answers);
    const shown = await thread(page).innerText();
    const times = (text: string) => shown.split(text).length - 1;
    for (const text of [...questions, ...answers]) expect([text, times(text)]).toEqual([text, 1]);
    await expect(thread(page).getByRole("article", { name: "You" })).toHaveText(questions);
  }).toPass({ timeout: 10_000 });
}
