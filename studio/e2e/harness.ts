// The fixtures of every browser test: a real gateway, a scripted model, a watched page.
// Each test has its own set, and fails on console errors, policy violations and requests to another origin.
//
//   test.use({ scene: { skills: { weather: "---\nname: weather\n…" }, config: { … }, files: { "workspace/x": "…" } } });
//   test.use({ scene: { demo: true } });                      `tarsus up --demo` instead of folders of its own
//   test("…", async ({ gateway, studio, model, watch }) => { await studio.goto("/?settingsTab=skills"); … });
import { type Locator, type Page, test as base, expect } from "@playwright/test";
import { DIST, serveDist } from "./harness/dist";
import { Gateway, type Json } from "./harness/gateway";
import { Watch } from "./harness/watch";
import { Model } from "./model";

/** The state before the gateway starts. */
export type Scene = {
  /** The demo with its own model, skills and apps; ignores the rest of the scene. */
  demo?: boolean;
  /** The path of the home folder, where it is visible; a temporary one otherwise. */
  home?: string;
  /** Merged over the configuration that names the scripted model. */
  config?: Json;
  /** Workspace skills: name and SKILL.md. */
  skills?: Record<string, string>;
  /** Other files, by path below the state folder. */
  files?: Record<string, string>;
};

type Fixtures = {
  scene: Scene;
  /** The replies of every agent: `model.reply("Hello ", gate, "there.")`. */
  model: Model;
  /** Errors and requests of the page; `watch.allow(/^console: …/)` expects one. */
  watch: Watch;
  /** A running gateway. */
  gateway: Gateway;
  /** The connected page; go on with `studio.goto("/?…")`. */
  studio: Page;
};

export const test = base.extend<Fixtures>({
  scene: [{}, { option: true }],
  model: async ({}, use) => {
    const model = await Model.start();
    await use(model);
    await model.stop();
  },
  watch: async ({}, use) => {
    const watch = new Watch();
    await use(watch);
    expect(watch.unexpected, "errors, broken rules and requests to others").toEqual([]);
  },
  gateway: async ({ scene, model, watch }, use) => {
    const { demo = false, config = {}, skills = {}, files = {} } = scene;
    const beforeDown = () => watch.allowNoGateway();
    const home = scene.home ? { home: scene.home } : {};
    const gateway = await Gateway.prepare({ demo, always: model.config, beforeDown, ...home });
    try {
      if (!demo) {
        await gateway.writeConfig(config);
        for (const [name, text] of Object.entries(skills)) await gateway.writeSkill(name, text);
        for (const [path, text] of Object.entries(files)) await gateway.writeFile(path, text);
      }
      await gateway.start();
      await use(gateway);
    } finally {
      await gateway.remove();
    }
  },
  baseURL: async ({ gateway }, use) => use(gateway.origin),
  context: async ({ context, gateway, watch }, use) => {
    await watch.follow(context, () => gateway.origin);
    if (DIST) await serveDist(context, DIST, gateway.origin);
    await use(context);
    // Before the gateway stops: an open page would only report the lost connection.
    await context.close();
  },
  studio: async ({ page, gateway }, use) => {
    await page.goto(gateway.link());
    await connected(page);
    await use(page);
  },
});

/** Waits until the page is connected and the view is loaded. */
export async function connected(page: Page): Promise<void> {
  await expect(page.locator(".conn:not(.off)")).toBeAttached();
  await expect(page.locator("main")).toBeAttached();
  await expect(page.locator("[data-loading]")).toHaveCount(0);
}

/** Runs something that drops the connection, and waits for the next one: the page may look connected for a while. */
export async function reconnected(page: Page, act: () => Promise<void>): Promise<void> {
  const another = new Promise((tried) => page.once("websocket", tried));
  await act();
  await another;
  await connected(page);
}

/** The toast, hovered so that it does not disappear after ten seconds. */
export async function heldToast(page: Page): Promise<Locator> {
  const toast = page.locator(".toast");
  await toast.hover();
  return toast;
}

/** A minimal SKILL.md; `metadata` goes below `metadata.openclaw`. */
export function skillText(name: string, description: string, metadata?: Json, body = "Do it."): string {
  const more = metadata ? `metadata: ${JSON.stringify({ openclaw: metadata })}\n` : "";
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n# ${name}\n\n${body}\n`;
}

export { expect };
export { asPerson } from "./harness/person";
export { Gate } from "./model";
