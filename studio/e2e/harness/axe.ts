// Accessibility checks with the rules of axe-core.
// Only serious and critical findings count; each names its rule and elements.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type * as Axe from "axe-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The violations on the current page. */
export async function barriers(page: Page): Promise<string[]> {
  // The page's CSP would block a script tag: this one is injected from outside.
  await page.evaluate(source);
  return page.evaluate(async (values) => {
    const { axe } = globalThis as unknown as { axe: typeof Axe };
    const { violations } = await axe.run(document, { runOnly: { type: "tag", values }, resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html.slice(0, 160)} (${node.failureSummary?.split("\n")[1]?.trim() ?? ""})`),
      );
  }, RULES);
}
