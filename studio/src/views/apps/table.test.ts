import { expect, it } from "vitest";
import type { RegisteredApp } from "../../generated/protocol";
import { filterApps } from "./AppsTable";
import { placeOf } from "./Unreadable";

const app = (name: string, launch_path: string, agents: string[] = []): RegisteredApp => ({
  name,
  launch_path,
  runtime_exe: null,
  process_name: null,
  mode: "full",
  allowed_agents: agents,
  group: "valid",
  reasons: [],
  running: null,
  pids: [],
});

it("the search finds apps in which every word is, in whatever field, width and case", () => {
  const apps = [app("Last Z", "/opt/last"), app("微信", "/opt/wechat", ["writer"])];
  const names = (search: string) => filterApps(apps, search).map(({ name }) => name);
  expect(names("")).toEqual(["Last Z", "微信"]);
  expect(names("ＷＲＩＴＥＲ opt")).toEqual(["微信"]);
  expect(names("last wechat")).toEqual([]);
});

it("the location of an error has the known parts", () => {
  expect(placeOf({ location: { path: "/a.json", line: 2, column: 13 } })).toBe("/a.json:2:13");
  expect(placeOf({ location: { path: "/a.json" } })).toBe("/a.json");
  for (const odd of [undefined, null, {}, { location: 7 }, { location: { line: 2 } }]) expect(placeOf(odd)).toBeUndefined();
});
