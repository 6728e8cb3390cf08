// The About view: facts about the gateway, and what this browser stores.
import type { Page } from "@playwright/test";
import { asPerson, connected, expect, test } from "./harness";

async function open(page: Page): Promise<void> {
  await page.goto("/?settingsTab=about");
  await connected(page);
}

const fact = (page: Page, name: string) => page.locator("dl > div").filter({ has: page.getByRole("term").filter({ hasText: name }) });

test("versions, addresses and files are those of the gateway", async ({ studio, gateway }) => {
  const status = await gateway.call("status", {});
  await open(studio);
  await expect(fact(studio, "Tarsus")).toContainText(status.version);
  await expect(fact(studio, "Protocol")).toContainText("version 4");
  for (const address of status.gateway.addresses) await expect(fact(studio, "Addresses")).toContainText(`http://${address}`);
  await expect(fact(studio, "Process")).toContainText(`pid ${status.gateway.pid}`);
  await expect(fact(studio, "Uptime")).toContainText(/\d+ (second|minute)/);
  await expect(fact(studio, "State folder")).toContainText(gateway.files.state);
  await expect(fact(studio, "Configuration")).toContainText(gateway.files.config);
  await expect(fact(studio, "Configuration")).toContainText("Valid");
  await expect(studio.getByText("tarsus licenses")).toBeVisible();
  await expect(studio.getByRole("table").filter({ hasText: "Shift F6" })).toBeVisible();
});

test("a configuration that cannot be used is named with what is wrong in it", async ({ studio, gateway }) => {
  await open(studio);
  await gateway.writeFile(gateway.files.config, '{ "agents": { "list": 7 } }');
  await studio.reload();
  await expect(fact(studio, "Configuration")).toContainText("Invalid");
  await expect(fact(studio, "Configuration")).toContainText("agents.list");
});

test("this device is forgotten: key and token are gone, and the gateway's token is asked for", async ({ studio, gateway }) => {
  await open(studio);
  const kept = studio.getByRole("table").filter({ hasText: "Device token" });
  await expect(kept.getByRole("row").filter({ hasText: "Device key" })).toContainText("Stored");
  await expect(kept.getByRole("row").filter({ hasText: "Device token" })).toContainText("Stored");
  const old = await studio.evaluate(() => localStorage.getItem("tarsus.deviceToken"));
  expect(old).toBeTruthy();

  const person = asPerson(studio);
  await person.use(studio.getByRole("button", { name: "Forget this device" }));
  const ask = studio.getByRole("alertdialog", { name: "Forget this device?" });
  await expect(ask).toContainText("This cannot be undone.");
  await person.press("Escape");
  await expect(ask).toBeHidden();
  await expect(studio.getByRole("button", { name: "Forget this device" })).toBeFocused();
  await person.press("Enter");
  await person.use(ask.getByRole("button", { name: "Forget this device" }));

  await expect(studio.getByRole("heading", { level: 1, name: "Enter the gateway’s token" })).toBeVisible();
  expect(await studio.evaluate(() => localStorage.getItem("tarsus.deviceToken"))).toBeNull();
  await studio.goto(gateway.link());
  await connected(studio);
  expect(await studio.evaluate(() => localStorage.getItem("tarsus.deviceToken"))).not.toBe(old);
});

test("a kept token of a forgotten device opens nothing", async ({ studio, gateway }) => {
  await open(studio);
  await studio.evaluate(copyKey, { from: "tarsus-studio", to: "kept-aside" });
  const token = (await studio.evaluate(() => localStorage.getItem("tarsus.deviceToken"))) ?? "";
  const comeBack = async () => {
    await studio.evaluate(copyKey, { from: "kept-aside", to: "tarsus-studio" });
    await studio.evaluate((kept) => localStorage.setItem("tarsus.deviceToken", kept), token);
    await studio.reload();
  };
  // With both key and token it is the same device.
  await comeBack();
  await connected(studio);
  await studio.getByRole("button", { name: "Forget this device" }).click();
  const ask = studio.getByRole("alertdialog", { name: "Forget this device?" });
  await expect(ask).toContainText("The gateway revokes the device token");
  await ask.getByRole("button", { name: "Forget this device" }).click();
  const refused = studio.getByRole("heading", { level: 1, name: "Enter the gateway’s token" });
  await expect(refused).toBeVisible();

  await comeBack();
  await expect(refused).toBeVisible();
  expect(await studio.evaluate(() => localStorage.getItem("tarsus.deviceToken"))).toBeNull();
  const { records } = await gateway.call("audit.tail", { limit: 20 });
  expect(records.filter((record) => (record as { event: string }).event === "device.revoked")).toHaveLength(1);
});

/** Copies the device key between databases; only the browser itself can use it. */
async function copyKey({ from, to }: { from: string; to: string }): Promise<void> {
  const done = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const keys = async (name: string) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("device");
    return (await done(request)).transaction("device", "readwrite").objectStore("device");
  };
  const key = await done((await keys(from)).get("key"));
  await done((await keys(to)).put(key, "key"));
}
