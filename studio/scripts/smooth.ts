// Load time and scroll smoothness with 1,000 skills, a session of 5,000 items, and a long streaming answer.
// Prints figures at full speed and four times slower; asserts nothing.
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CDPSession, Page } from "@playwright/test";
import { Gate, expect, skillText, test } from "../e2e/harness";
import { settled } from "../e2e/views";
import { type TraceEvent, byKind, longTasks, onMainThread } from "./trace";

const SLOWER = 4;
const SKILLS = 1000;
const ITEMS = 5000;
const DELTAS = 2000;
const TRACES = resolve(import.meta.dirname, "../node_modules/.traces");

/** The text of each turn of the long session. */
const FILES = Array.from({ length: 20 }, (_, index) => `notes/${index}.md`);

const many = Object.fromEntries(
  Array.from({ length: SKILLS }, (_, index) => {
    const name = `skill-${String(index).padStart(4, "0")}`;
    const needs = index % 3 === 0 ? { requires: { bins: [`program-${index}`] } } : {};
    return [name, skillText(name, `Does the work of number ${index}, and says what came of it.`, { emoji: "🧩", ...needs })];
  }),
);

test("a new installation", async ({ page, gateway }) => {
  await measured(page, "a new installation: first view, nothing kept by the browser", async () => {
    await page.goto(gateway.link());
    await expect(page.getByRole("textbox", { name: /^Message / })).toBeVisible();
  });
  await measured(page, "a new installation: the same again", async () => {
    await page.reload();
    await expect(page.getByRole("textbox", { name: /^Message / })).toBeVisible();
  });
});

test.describe("many skills", () => {
  test.use({ scene: { skills: many } });

  test("skills", async ({ studio }) => {
    await measured(studio, `${SKILLS} skills: first view`, async () => {
      await studio.goto("/?settingsTab=skills");
      await expect(studio.getByRole("switch").first()).toBeVisible();
    });
    await measured(studio, `${SKILLS} skills: scroll to the end`, () => scroll(studio, "main"));
    await measured(studio, `${SKILLS} skills: search, letter by letter`, async () => {
      await studio.getByRole("main").getByRole("search").getByRole("textbox").pressSequentially("number 777");
      await expect(studio.getByRole("switch")).toHaveCount(1);
    });
    await measured(studio, `${SKILLS} skills: System setup, first view`, async () => {
      await studio.goto("/?settingsTab=setup");
      await expect(studio.getByRole("heading", { level: 1 })).toBeVisible();
      await settled(studio);
    });
  });
});

test.describe("much was said", () => {
  test.use({ scene: { files: Object.fromEntries(FILES.map((path) => [`workspace/${path}`, `This is ${path}.\n`])) } });

  test("a long session", async ({ page, gateway, model }) => {
    const session = "agent:main:main";
    let items = 0;
    for (let turn = 0; items < ITEMS; turn += 1) {
      model.reply(...FILES.map((path) => ({ tool: "read", arguments: { path } })));
      model.reply(`Answer ${turn}: it is done, in **two** steps.\n\n- first\n- second`);
      const runId = randomUUID();
      await gateway.call("chat.send", { sessionKey: session, message: `Question ${turn}`, idempotencyKey: runId });
      const { status } = await gateway.call("agent.wait", { runId, timeoutMs: 15_000 });
      if (status !== "ok") throw new Error(`turn ${turn} did not go through: ${status}`);
      items = (await gateway.call("chat.history", { sessionKey: session, limit: 1 })).totalMessages;
      // Each request repeats the whole conversation.
      model.requests.length = 0;
    }
    const log = page.getByRole("log");
    await measured(page, `${items} items: first view`, async () => {
      await page.goto(gateway.link());
      await expect(log).toContainText("Answer ");
    });
    await measured(page, `${items} items: scroll up`, () => scroll(page, ".scroll", -1));
    const gate = new Gate();
    const words = Array.from({ length: DELTAS }, (_, index) => `word${index}${index % 40 === 39 ? "\n\n" : " "}`);
    model.reply(gate, ...words, "The end.");
    await gateway.call("chat.send", { sessionKey: session, message: "Go on at length.", idempotencyKey: randomUUID() });
    await gate.reached;
    await measured(page, `${DELTAS} deltas in one burst`, async () => {
      gate.open();
      await expect(log).toContainText("The end.", { timeout: 60_000 });
    });
  });
});

/** Runs it under a trace with a throttled CPU, and prints the timings. */
async function measured(page: Page, what: string, act: () => Promise<void>): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  const { events, ms: took } = await traced(cdp, act);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await cdp.detach();
  const ms = longTasks(events);
  const sum = ms.reduce((all, one) => all + one, 0);
  const figures = [`${Math.round(took)} ms`, `${ms.length} long tasks`, `longest ${Math.round(Math.max(0, ...ms))} ms`, `together ${Math.round(sum)} ms`];
  const kinds = [...byKind(events)].sort(([, one], [, other]) => other - one).map(([kind, own]) => `${kind} ${Math.round(own)}`);
  console.log(`${what} (${SLOWER}x slower): ${figures.join(", ")}; ${kinds.join(", ")}`);
  await mkdir(TRACES, { recursive: true });
  const file = resolve(TRACES, `${what.replace(/\W+/g, "-")}.json`);
  await writeFile(file, JSON.stringify({ traceEvents: events }));
}

async function traced(cdp: CDPSession, act: () => Promise<void>): Promise<{ events: TraceEvent[]; ms: number }> {
  const events: TraceEvent[] = [];
  cdp.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const over = new Promise<void>((done) => cdp.once("Tracing.tracingComplete", () => done()));
  const categories = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "v8.execute"].join(",");
  await cdp.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: categories.split(",") } });
  const began = performance.now();
  await act();
  const ms = performance.now() - began;
  await cdp.send("Tracing.end");
  await over;
  return { events: onMainThread(events), ms };
}

/** Scrolls page by page to the end. */
async function scroll(page: Page, selector: string, direction: 1 | -1 = 1): Promise<void> {
  await page.evaluate(
    async ([wanted, way]) => {
      const box = document.querySelector(wanted)!;
      const isOver = () => (way > 0 ? box.scrollTop + box.clientHeight >= box.scrollHeight - 2 : box.scrollTop <= 0);
      for (let steps = 0; steps < 400 && !isOver(); steps += 1) {
        box.scrollTop += way * box.clientHeight;
        await new Promise((next) => requestAnimationFrame(next));
      }
    },
    [selector, direction] as const,
  );
}
