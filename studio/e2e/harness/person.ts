// A person who uses the keyboard alone.
import { type Locator, type Page, expect } from "@playwright/test";

export class Person {
  constructor(private readonly page: Page) {}

  /** Goes on with Tab until the focus is there; `back` with Shift. */
  async tabTo(target: Locator, options: { back?: boolean; most?: number } = {}): Promise<void> {
    const { back = false, most = 80 } = options;
    await expect(target).toBeVisible();
    const isThere = () => target.evaluate((element) => element === document.activeElement);
    for (let steps = 0; steps < most; steps += 1) {
      if (await isThere()) return;
      await this.page.keyboard.press(back ? "Shift+Tab" : "Tab");
    }
    expect(await isThere(), `${most} times Tab lead to ${target}`).toBe(true);
  }

  /** Goes there and presses Enter, or another key. */
  async use(target: Locator, key = "Enter"): Promise<void> {
    await this.tabTo(target);
    // What still works at something takes no key.
    await expect(target).toBeEnabled();
    await this.page.keyboard.press(key);
  }

  /** Goes there and types in place of what is in it. */
  async type(target: Locator, text: string): Promise<void> {
    await this.tabTo(target);
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.type(text);
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }
}

export const asPerson = (page: Page): Person => new Person(page);
