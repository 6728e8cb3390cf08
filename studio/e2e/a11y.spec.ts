// Accessibility: axe finds nothing in any view (light and dark, wide and narrow), and every view works by keyboard.
import type { Locator, Page } from "@playwright/test";
import { barriers } from "./harness/axe";
import { asPerson, connected, expect, test } from "./harness";
import { everyday, talkAboutGarden } from "./scene";
import { type ViewName, openView, viewNames } from "./views";

test.use({ scene: everyday });

const sizes = { wide: { width: 1280, height: 900 }, narrow: { width: 375, height: 812 } };

test("the accessibility check finds a barrier", async ({ studio }) => {
  await openView(studio, "about");
  await studio.evaluate(() => document.querySelector("main")?.append(document.createElement("button")));
  expect((await barriers(studio)).join()).toContain("button-name");
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const [size, viewport] of Object.entries(sizes)) {
    test.describe(`${colorScheme} and ${size}`, () => {
      test.use({ colorScheme, viewport, contextOptions: { reducedMotion: "reduce" } });

      test("every view is accessible", async ({ studio, gateway, model }) => {
        test.slow();
        await talkAboutGarden({ gateway, model });
        await withoutBarriers(studio, viewNames);
      });
    });
  }
}

test.describe("in Chinese", () => {
  test.use({ locale: "zh-CN", colorScheme: "light" });

  test("every view is accessible, and the page declares its language", async ({ studio, gateway, model }) => {
    await talkAboutGarden({ gateway, model });
    await withoutBarriers(studio, ["chat", "skills", "setup"]);
    await expect(studio.locator("html")).toHaveAttribute("lang", "zh");
  });
});

test("the screens before the connection are accessible", async ({ page, context }) => {
  await page.goto("/#token=wrong");
  await expect(page.getByRole("alert")).toBeVisible();
  expect(await barriers(page)).toEqual([]);
  const other = await context.newPage();
  await other.goto("/");
  await expect(page.getByRole("heading", { name: "Studio is open in another tab" })).toBeVisible();
  expect(await barriers(page)).toEqual([]);
});

test("the lost-connection notice is accessible", async ({ studio, gateway }) => {
  await openView(studio, "skills");
  await gateway.stop();
  await expect(studio.getByText("No connection to the gateway.")).toBeVisible();
  expect(await barriers(studio)).toEqual([]);
});

test.describe("on a narrow screen", () => {
  test.use({ viewport: sizes.narrow });

  test("nothing scrolls sideways", async ({ studio, gateway, model }) => {
    await talkAboutGarden({ gateway, model });
    for (const view of viewNames) {
      await openView(studio, view);
      const width = await studio.evaluate(() => document.documentElement.scrollWidth);
      expect(width, view).toBeLessThanOrEqual(sizes.narrow.width);
    }
  });

  test("the navigation opens and closes by keyboard", async ({ studio }) => {
    await openView(studio, "skills");
    const person = asPerson(studio);
    await expect(studio.getByRole("link", { name: "Logs" })).toBeHidden();
    await person.use(studio.getByRole("button", { name: "Open navigation" }));
    await expect(studio.getByRole("link", { name: "Logs" })).toBeVisible();
    await person.press("Escape");
    await expect(studio.getByRole("link", { name: "Logs" })).toBeHidden();
  });
});

test("the first Tab offers to skip the navigation", async ({ studio }) => {
  await openView(studio, "skills");
  const person = asPerson(studio);
  await person.press("Tab");
  await expect(studio.getByRole("link", { name: "Skip to the content" })).toBeFocused();
  await person.press("Enter");
  await expect(studio.locator("#main")).toBeFocused();
  await openView(studio, "chat");
  await studio.locator("body").press("Tab");
  const skip = studio.getByRole("link", { name: "Skip to the message field" });
  await person.tabTo(skip, { back: true });
  await person.press("Enter");
  await expect(studio.locator("#msg")).toBeFocused();
});

test("F6 goes round the regions of a view, and back", async ({ studio }) => {
  for (const view of ["chat", "skills"] as const) {
    await openView(studio, view);
    const count = await studio.locator("[data-region]:visible").count();
    expect(count, view).toBeGreaterThan(1);
    const visited: string[] = [];
    for (let step = 0; step < count; step += 1) {
      await studio.keyboard.press("F6");
      visited.push(await focusedRegion(studio));
    }
    expect(new Set(visited).size, `${view}: ${visited.join(", ")}`).toBe(count);
    await studio.keyboard.press("F6");
    expect(await focusedRegion(studio), view).toBe(visited[0]);
    await studio.keyboard.press("Shift+F6");
    expect(await focusedRegion(studio), view).toBe(visited.at(-1));
  }
});

test("the focused element shows it", async ({ studio, gateway, model }) => {
  await talkAboutGarden({ gateway, model });
  for (const view of ["chat", "skills", "setup", "apps"] as const) {
    await openView(studio, view);
    for (let step = 0; step < 30; step += 1) {
      await studio.keyboard.press("Tab");
      expect(await focusMark(studio), `${view}, ${step + 1} times Tab`).toBe("");
    }
  }
});

test("nothing moves with reduced motion", async ({ studio }) => {
  await studio.emulateMedia({ reducedMotion: "reduce" });
  for (const view of ["chat", "skills", "logs"] as const) {
    await openView(studio, view);
    const moving = await studio.evaluate(() => {
      const long = (times: string) => times.split(",").some((time) => parseFloat(time) * (time.includes("ms") ? 1 : 1000) > 1);
      return [...document.querySelectorAll("*")].filter((element) => {
        const style = getComputedStyle(element);
        const isAnimated = style.animationName !== "none" && long(style.animationDuration);
        return isAnimated || long(style.transitionDuration);
      }).map((element) => element.outerHTML.slice(0, 80));
    });
    expect(moving, view).toEqual([]);
  }
});

test("the keyboard alone leads from the chat to another view and back", async ({ studio }) => {
  await openView(studio, "chat");
  const person = asPerson(studio);
  await person.use(studio.getByRole("link", { name: "Settings of Mira" }).first());
  await expect(studio.getByRole("heading", { level: 1 })).toBeVisible();
  await person.use(studio.getByRole("link", { name: "Applications" }));
  await expect(studio).toHaveURL(/settingsTab=apps/);
  await expect(studio.locator("#main")).toBeFocused();
  await person.tabTo(studio.getByRole("link", { name: "Back to chat" }), { back: true });
  await person.press("Enter");
  await connected(studio);
  await expect(studio.locator("main.chat")).toBeVisible();
});

/** An element that shows that a view has content: an empty one would prove nothing. */
const contents: Partial<Record<ViewName, (page: Page) => Locator>> = {
  chat: (page) => page.getByRole("log").getByRole("table"),
  skills: (page) => page.getByRole("switch", { name: /application-manager/ }),
  setup: (page) => page.getByText("transcribe").first(),
  apps: (page) => page.getByText("Garden planner").first(),
};

async function withoutBarriers(page: Page, views: ViewName[]): Promise<void> {
  const found: Record<string, string[]> = {};
  for (const view of views) {
    await openView(page, view);
    const content = contents[view]?.(page);
    if (content) await expect(content).toBeVisible();
    const here = await barriers(page);
    if (here.length > 0) found[view] = here;
  }
  expect(found).toEqual({});
}

/** The index of the innermost region with focus, in document order. */
function focusedRegion(page: Page): Promise<string> {
  return page.evaluate(() => {
    const at = document.activeElement?.closest("[data-region]");
    return at ? `${[...document.querySelectorAll("[data-region]")].indexOf(at)} ${at.getAttribute("data-region")}` : "none";
  });
}

/** Returns "" if the focus is visible, else the focused element. */
function focusMark(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    // At the end of the page, focus is in the browser's own controls for one Tab.
    if (!focused || focused === document.body) return "";
    const isMarked = (element: Element | null, levels: number): boolean => {
      if (!element || levels === 0) return false;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      // A field may show focus on the box around it.
      return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || isMarked(element.parentElement, levels - 1);
    };
    return isMarked(focused, 3) ? "" : focused.outerHTML.slice(0, 120);
  });
}
