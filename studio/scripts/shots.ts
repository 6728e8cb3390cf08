// Screenshots of every view with a typical scene, light and dark; some on a phone and in Chinese. For people to
// look at; nothing is compared. Those in README show `tarsus up --demo`, so that everybody can reproduce them.
import { resolve } from "node:path";
import type { Page } from "@playwright/test";
import { connected, expect, test } from "../e2e/harness";
import { everyday, talkAboutGarden } from "../e2e/scene";
import { openView, settled, viewNames } from "../e2e/views";

const FOLDER = resolve(process.env["SHOTS"] ?? resolve(import.meta.dirname, "../shots"));
/** A home folder with a readable path, where one can be created; it must not exist yet. */
const home = process.env["SHOTS_HOME"];
const IMAGES = resolve(import.meta.dirname, "../../docs/images");
const phone = { width: 375, height: 812 };

test.use({ scene: home ? { ...everyday, home } : everyday, contextOptions: { reducedMotion: "reduce" } });

for (const colorScheme of ["light", "dark"] as const) {
  const dark = colorScheme === "dark" ? ".dark" : "";

  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test("views", async ({ studio, gateway, model }) => {
      await talkAboutGarden({ gateway, model });
      for (const view of viewNames) {
        await openView(studio, view);
        await shoot(studio, `${view}${dark}`);
      }
    });

    test("dialogs", async ({ studio }) => {
      await studio.goto("/?settingsTab=setup&skill=transcribe");
      await expect(studio.getByRole("dialog")).toBeVisible();
      await shoot(studio, `configure${dark}`);
      await studio.goto("/?settingsTab=setup&skill=free-credits");
      await expect(studio.getByRole("dialog")).toBeVisible();
      await shoot(studio, `configure-blocked${dark}`);
      await openView(studio, "apps");
      await studio.getByRole("button", { name: /^Add/ }).first().click();
      await expect(studio.getByRole("dialog")).toBeVisible();
      await shoot(studio, `apps-add${dark}`);
    });

    test("before it is connected", async ({ page, gateway, context }) => {
      await page.goto("/");
      await expect(page.getByLabel("Token", { exact: true })).toBeVisible();
      await shoot(page, `connect-token${dark}`);
      await page.goto(gateway.link("/?settingsTab=skills"));
      await connected(page);
      const other = await context.newPage();
      await other.goto("/?settingsTab=skills");
      await connected(other);
      await shoot(page, `connect-elsewhere${dark}`);
      await gateway.stop();
      await expect(other.getByText("No connection to the gateway.")).toBeVisible();
      await shoot(other, `connect-lost${dark}`);
    });

    test.describe("on a phone", () => {
      test.use({ viewport: phone });

      test("views", async ({ studio, gateway, model }) => {
        await talkAboutGarden({ gateway, model });
        for (const view of ["chat", "skills", "setup"] as const) {
          await openView(studio, view);
          await shoot(studio, `${view}.phone${dark}`);
        }
      });
    });

    test.describe("in Chinese", () => {
      test.use({ locale: "zh-CN" });

      test("views", async ({ studio }) => {
        for (const view of ["skills", "setup"] as const) {
          await openView(studio, view);
          await shoot(studio, `${view}.zh${dark}`);
        }
      });
    });
  });
}

// `npm run shots:readme` writes only these, where README finds them.
test.describe("README", () => {
  test.use({ scene: { demo: true }, colorScheme: "light" });

  test("chat, skills, setup", async ({ studio }) => {
    for (const [prompt, answer] of [
      ["What is in my notes?", "I read them with a tool"],
      ["Show me the clock", "The app's policy allows this"],
    ] as const) {
      await studio.locator("#msg").fill(prompt);
      await studio.locator("#msg").press("Enter");
      await expect(studio.locator(".msg:not(.me) .md").last()).toContainText(answer);
      await expect(studio.getByRole("button", { name: "Send" })).toBeVisible();
      await expect(studio.getByText("Idle")).toBeVisible();
    }
    await studio.locator("#msg").blur();
    await shoot(studio, "studio-chat", IMAGES);
    await openView(studio, "skills");
    for (const word of ["Blocked", "Setup required"]) {
      await expect(studio.locator(".chip", { hasText: word }).first()).toBeInViewport();
    }
    await shoot(studio, "studio-skills", IMAGES);
    await openView(studio, "setup");
    await shoot(studio, "studio-setup", IMAGES);
  });
});

async function shoot(page: Page, name: string, folder = FOLDER): Promise<void> {
  await settled(page);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: resolve(folder, `${name}.png`), animations: "disabled", caret: "hide" });
}
