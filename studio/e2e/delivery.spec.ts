// Delivery: security headers, size, and no request to another origin.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { DIST } from "./harness/dist";
import { expect, test } from "./harness";
import { openView, viewNames } from "./views";

const MOST_SCRIPT_BYTES = 150 * 1024;
const FOLDER = DIST ?? resolve(import.meta.dirname, "../dist");

test("every view opens without an error, a broken rule or a request to anybody else", async ({ studio, watch }) => {
  for (const view of viewNames) {
    await openView(studio, view);
    expect(watch.unexpected, view).toEqual([]);
  }
});

test("only files of its own origin may run or be shown", async ({ gateway }) => {
  for (const path of ["/", "/agents/main/settings", "/no/such/page"]) {
    const answer = await fetch(gateway.origin + path);
    const rules = (answer.headers.get("content-security-policy") ?? "").split(";").map((rule) => rule.trim());
    expect(rules, path).toContain("default-src 'self'");
    expect(rules, path).toContain("frame-ancestors 'none'");
    expect(rules.join(" "), path).not.toMatch(/unsafe-|data:|blob:|\*|https?:/);
    expect(answer.headers.get("x-content-type-options"), path).toBe("nosniff");
    expect(answer.headers.get("access-control-allow-origin"), path).toBeNull();
  }
});

test("the page has no inline script and no inline style", () => {
  const page = readFileSync(join(FOLDER, "index.html"), "utf8");
  expect(page.match(/<script\b[^>]*>/g)).not.toBeNull();
  for (const [, attributes, text] of page.matchAll(/<script\b([^>]*)>([^]*?)<\/script>/g)) {
    expect(attributes).toMatch(/\bsrc="\/assets\//);
    expect(text).toBe("");
  }
  expect(page).not.toMatch(/<style\b|\sstyle=|\son\w+=|javascript:/i);
});

test("an injected script does not run", async ({ studio, watch }) => {
  watch.allow(/^policy: script-src-elem forbids inline/);
  watch.allow(/^console: .*Content Security Policy/);
  const refused = studio.waitForEvent("console", (message) => message.text().includes("Content Security Policy"));
  await studio.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken over'";
    document.body.append(script);
  });
  await refused;
  expect(await studio.title()).not.toBe("taken over");
});

test("all scripts together are small", () => {
  const scripts = filesBelow(FOLDER).filter((path) => extname(path) === ".js");
  expect(scripts).not.toEqual([]);
  const bytes = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0);
  expect(bytes).toBeLessThan(MOST_SCRIPT_BYTES);
});

test.describe("a file of the program", () => {
  test.skip(DIST !== undefined, "the files come from a folder");

  test("is loaded once, and the page itself is asked for each time", async ({ studio, gateway }) => {
    expect((await fetch(gateway.origin)).headers.get("cache-control")).toBe("no-cache");
    const loaded = () =>
      studio.evaluate(() =>
        (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
          .filter((entry) => new URL(entry.name).pathname.startsWith("/assets/"))
          .map((entry) => [entry.name, entry.transferSize] as const),
      );
    await openView(studio, "skills");
    await openView(studio, "skills");
    const again = await loaded();
    expect(again).not.toEqual([]);
    expect(again.filter(([, bytes]) => bytes > 0)).toEqual([]);
    for (const [name] of again) {
      expect((await fetch(name)).headers.get("cache-control"), name).toBe("public, max-age=31536000, immutable");
    }
  });

  test("is the built one", async ({ gateway }) => {
    expect(await (await fetch(gateway.origin)).text()).toBe(readFileSync(join(FOLDER, "index.html"), "utf8"));
  });
});

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) throw new Error(`${folder} is not there: npm run build`);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
