import { describe, expect, it } from "vitest";
import { type Route, hrefOf, routeOf, settings } from "./route";

const at = (address: string) => routeOf(new URL(address, "http://127.0.0.1:18789"));

describe("the route of an address", () => {
  it("defaults to the chat", () => {
    expect(at("/")).toEqual({ view: "chat" });
    expect(at("/anything?x=1")).toEqual({ view: "chat" });
  });

  it("names a session", () => {
    expect(at("/?session=agent:main:main")).toEqual({ view: "chat", session: "agent:main:main" });
  });

  it("is the settings of an agent, which begin with its skills", () => {
    expect(at("/?settingsAgentId=mira")).toEqual({ view: "settings", agentId: "mira", tab: "skills" });
  });

  it("understands the older path of settings", () => {
    expect(at("/agents/mira/settings")).toEqual({ view: "settings", agentId: "mira", tab: "skills" });
    expect(at("/agents/%E0%A4%A/settings")).toMatchObject({ agentId: "%E0%A4%A" });
  });

  it("falls back from an unknown tab", () => {
    expect(at("/?settingsAgentId=mira&settingsTab=constructor")).toMatchObject({ tab: "skills" });
  });

  it("omits empty values, and bounds long ones", () => {
    expect(at("/?settingsAgentId=mira&skill=")).not.toHaveProperty("skill");
    const long = at(`/?session=${"x".repeat(5000)}`);
    expect(long.view === "chat" && long.session?.length).toBe(512);
  });
});

describe("the address of a route", () => {
  const routes: Route[] = [
    { view: "chat" },
    { view: "chat", session: "agent:main:a b&c=d#e" },
    settings("setup", { agentId: "mira", skill: "notion" }),
    settings("apps", { item: "Last Z" }),
  ];

  it.each(routes)("leads back to it: %o", (to) => {
    expect(at(hrefOf(to))).toEqual(to);
  });

  it("is readable", () => {
    expect(hrefOf({ view: "chat", session: "agent:main:main" })).toBe("/?session=agent:main:main");
    expect(hrefOf(settings("skills", { agentId: "mira" }))).toBe("/?settingsAgentId=mira&settingsTab=skills");
  });
});
