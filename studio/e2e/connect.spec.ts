// How the page connects: by link, again by itself, and when it is refused.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "@playwright/test";
import { asPerson, connected, expect, reconnected, test } from "./harness";

const screen = (page: Page, title: string) => page.getByRole("heading", { level: 1, name: title });
const stored = (page: Page) => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
const lostNotice = (page: Page) => page.getByText("No connection to the gateway.");

test("the link opens the page; its token leaves the address and is kept nowhere", async ({ studio, gateway }) => {
  expect(studio.url()).toBe(`${gateway.origin}/`);
  expect(await stored(studio)).not.toContain(gateway.token);
  expect(await studio.content()).not.toContain(gateway.token);
});

test("after the first time the browser has a token of its own and needs no link", async ({ studio, gateway }) => {
  const own = await studio.evaluate(() => localStorage.getItem("tarsus.deviceToken"));
  expect(own).toBeTruthy();
  expect(own).not.toContain(gateway.token);
  await studio.reload();
  await connected(studio);
});

test("a page without a token says where to find it, and accepts a pasted one", async ({ page, gateway }) => {
  await page.goto("/");
  await expect(screen(page, "Enter the gateway’s token")).toBeVisible();
  await expect(page.getByText("The gateway rejected this token.")).toBeHidden();
  const person = asPerson(page);
  await person.type(page.getByLabel("Token", { exact: true }), gateway.token);
  await person.press("Enter");
  await connected(page);
  expect(await stored(page)).not.toContain(gateway.token);
});

test("a wrong token is refused, forgotten, and can be put right", async ({ page, gateway }) => {
  await page.goto(`${gateway.origin}/#token=this-is-not-it`);
  await expect(page.getByRole("alert")).toHaveText("The gateway rejected this token.");
  expect(page.url()).toBe(`${gateway.origin}/`);
  expect(await stored(page)).not.toContain("this-is-not-it");
  await page.getByLabel("Token", { exact: true }).fill(gateway.token);
  await page.getByRole("button", { name: "Connect" }).click();
  await connected(page);
});

test("a device token that the gateway does not know leads to the token screen, and is forgotten", async ({ studio }) => {
  await studio.evaluate(() => localStorage.setItem("tarsus.deviceToken", "made-up"));
  await studio.reload();
  await expect(screen(studio, "Enter the gateway’s token")).toBeVisible();
  expect(await stored(studio)).not.toContain("made-up");
});

test("a gateway of another version is named as the reason, and a reload tries again", async ({ page, gateway }) => {
  let isOther = true;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      const sent = String(message);
      server.send(isOther ? sent.replace('"minProtocol":4,"maxProtocol":4', '"minProtocol":98,"maxProtocol":99') : sent);
    });
  });
  await page.goto(gateway.link());
  await expect(screen(page, "Studio and the gateway are incompatible")).toBeVisible();
  isOther = false;
  // The first address carried the token; the gateway has not issued a device token yet.
  await page.getByRole("button", { name: "Reload the page" }).click();
  await expect(screen(page, "Enter the gateway’s token")).toBeVisible();
  await page.goto(gateway.link());
  await connected(page);
});

test("while the gateway is away the page says so and keeps what it shows; it comes back by itself", async ({ studio, gateway }) => {
  await studio.goto("/?settingsTab=about");
  await connected(studio);
  const heading = studio.getByRole("heading", { level: 1 });
  const before = await heading.textContent();
  await gateway.stop();
  await expect(lostNotice(studio)).toBeVisible();
  await expect(studio.locator(".conn.off")).toBeVisible();
  await expect(heading).toHaveText(before ?? "");
  await expect(studio.locator("main .stale[inert]")).toBeAttached();
  // It retries several times, each time without success.
  await studio.waitForEvent("websocket");
  await studio.waitForEvent("websocket");
  await expect(lostNotice(studio)).toBeVisible();
  await reconnected(studio, () => gateway.start());
  await expect(lostNotice(studio)).toBeHidden();
  await expect(studio.locator("main .stale")).toHaveCount(0);
});

test("a retry can be started at once", async ({ studio, gateway }) => {
  await gateway.kill();
  const tryNow = studio.getByRole("button", { name: "Try now" });
  await expect(tryNow).toBeVisible();
  await gateway.start();
  // It may have reconnected by itself already.
  await Promise.race([tryNow.click().catch(() => {}), connected(studio)]);
  await connected(studio);
});

test("a second tab takes over, and the first one can take it back", async ({ studio, context }) => {
  const second = await context.newPage();
  await second.goto("/");
  await connected(second);
  await expect(screen(studio, "Studio is open in another tab")).toBeVisible();
  await studio.getByRole("button", { name: "Use it here" }).click();
  await connected(studio);
  await expect(screen(second, "Studio is open in another tab")).toBeVisible();
});

test("an address that names an unknown agent shows the default one, and says so", async ({ studio }) => {
  await studio.goto("/?settingsAgentId=nobody&settingsTab=about");
  await expect(studio.getByText("There is no agent nobody. This is main.")).toBeVisible();
  await studio.goto("/?settingsAgentId=main&settingsTab=about");
  await connected(studio);
  await expect(studio.getByText("There is no agent")).toBeHidden();
});

test("the path of an agent's settings leads to the query that a link has", async ({ studio, gateway }) => {
  await studio.goto("/agents/main/settings");
  await connected(studio);
  expect(studio.url()).toBe(`${gateway.origin}/?settingsAgentId=main&settingsTab=skills`);
  await expect(studio.getByRole("link", { name: "Skills" })).toHaveAttribute("aria-current", "page");
});

test("a page of another origin gets nothing: no answer, no socket", async ({ gateway, browser }) => {
  await withStranger(browser, async (stranger) => {
    const outcome = await stranger.evaluate(async (origin) => {
      const asked = (path: string) => fetch(origin + path).then((answer) => `read ${answer.status}`, () => "refused");
      const socket = new Promise<string>((done) => {
        const opened = new WebSocket(`${origin.replace("http", "ws")}/ws`);
        opened.onmessage = () => done("heard");
        opened.onclose = () => done("closed");
      });
      return { page: await asked("/"), status: await asked("/api/status"), models: await asked("/v1/models"), socket: await socket };
    }, gateway.origin);
    expect(outcome).toEqual({ page: "refused", status: "refused", models: "refused", socket: "closed" });
  });
});

test("a page of another origin cannot show Studio in a frame", async ({ gateway, browser }) => {
  await withStranger(browser, async (stranger) => {
    await stranger.evaluate((origin) => {
      const frame = document.createElement("iframe");
      frame.src = origin;
      return new Promise((done) => {
        frame.onload = done;
        document.body.append(frame);
      });
    }, gateway.origin);
    await expect(stranger.frameLocator("iframe").locator("#studio")).toHaveCount(0);
  });
});

/** A page of another program on this machine. */
async function withStranger(browser: Browser, act: (page: Page) => Promise<void>): Promise<void> {
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><p>Hello"));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await act(page);
  } finally {
    await context.close();
    server.closeAllConnections();
    server.close();
  }
}
