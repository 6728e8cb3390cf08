import { expect, test } from "./harness";

test("automations say that nothing is run, and offer nothing that does nothing", async ({ studio, gateway }) => {
  expect(await gateway.call("cron.status", {})).toMatchObject({ enabled: false, jobs: 0 });
  await studio.goto("/?settingsAgentId=main&settingsTab=automations");
  const main = studio.getByRole("main");
  await expect(main).toContainText("Tarsus does not run jobs yet.");
  await expect(studio.getByRole("heading", { name: "main has no jobs" })).toBeVisible();
  await expect(main.getByText('tarsus agent --agent main --message "…"')).toBeVisible();
  await expect(main.getByRole("button")).toHaveCount(1);
  await expect(main.getByRole("button", { name: "Copy" })).toBeVisible();
  await expect(main.getByRole("switch")).toHaveCount(0);
});

test("the same is said in Chinese", async ({ studio }) => {
  await studio.goto("/?settingsAgentId=main&settingsTab=automations");
  await studio.getByRole("button", { name: "切换到中文" }).click();
  await expect(studio.getByRole("main")).toContainText("Tarsus 尚不运行任务。");
});
