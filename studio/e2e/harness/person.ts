// A person who uses only the keyboard.
import { type Locator, type Page, expect } from "@playwright/test";

export class Person {
  constructor(private readonly page: Page) {}

  /** Presses Tab until the element has focus; Shift Tab with `back`. */
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

  /** Focuses the element and presses Enter, or another key. */
  async use(target: Locator, key = "Enter"): Promise<void> {
    await this.tabTo(target);
    // A busy control ignores keys.
    await expect(target).toBeEnabled();
    await this.page.keyboard.press(key);
  }

  /** Focuses the field and replaces its text. */
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
