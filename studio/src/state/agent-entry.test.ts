import { describe, expect, it } from "vitest";
import { entryOf, withEntry } from "./agent-entry";

describe("the entry of an agent", () => {
  const config = { agents: { defaults: { model: "a/b" }, list: [{ id: "Main", default: true }, { id: "ada", name: "Ada" }] } };

  it("is found whatever the case of its id", () => {
    expect(entryOf(config, "main")).toEqual({ id: "Main", default: true });
    expect(entryOf(config, "eve")).toEqual({});
    expect(entryOf({}, "main")).toEqual({});
  });

  it("is changed alone, and what is undefined leaves it", () => {
    const changed = withEntry(config, "ada", () => ({ name: undefined, model: "c/d" }));
    expect(changed).toEqual({
      agents: { defaults: { model: "a/b" }, list: [{ id: "Main", default: true }, { id: "ada", model: "c/d" }] },
    });
    expect(config.agents.list[1]).toEqual({ id: "ada", name: "Ada" });
  });

  it("is made for the agent that is only implied", () => {
    expect(withEntry({ agents: { list: [] } }, "main", () => ({ name: "Mira" }))).toEqual({
      agents: { list: [{ id: "main", name: "Mira" }] },
    });
  });
});
