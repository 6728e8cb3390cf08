import { expect, it } from "vitest";
import { splitMenu } from "./menu";

const page = "Application Manager\n1. Firefox\n\nReply with `add` or `quit`.";
const menu = { type: "menu" as const, title: "Application Manager", lines: [], choices: [{ label: "Firefox", reply: "1" }] };

it("a menu replaces the text block right before it and leaves the other text", () => {
  const content = [{ type: "text" as const, text: "Here it is." }, { type: "text" as const, text: page }, menu];
  expect(splitMenu(content)).toEqual({ menu, text: "Here it is." });
});

it("text that prints a page stays text", () => {
  expect(splitMenu([{ type: "text", text: page }])).toEqual({ text: page });
});

it("a damaged menu is not drawn", () => {
  expect(splitMenu([{ type: "text", text: page }, { type: "menu", title: "x" }]).menu).toBeUndefined();
});
