// Screens that the Application Manager really printed, as choices. What is no screen stays text.
import { describe, expect, it } from "vitest";
import { menuOf } from "./menu";
import printed from "./menu-screens.json" with { type: "json" };

describe("screens as they are printed", () => {
  it("each leads to its choices, and what is no screen leads to none", () => {
    const brief = printed.map((text) => {
      const menu = menuOf(text);
      return menu ? `${menu.title} | ${menu.numbered.map(({ send, label }) => `${send}=${label}`).join(", ")} | ${menu.words.join(" ")}` : `- ${text.slice(0, 40).replaceAll("\n", " ")}`;
    });
    expect(brief).toMatchSnapshot();
  });

  it("nothing that is printed is left out of the card", () => {
    for (const text of printed) {
      const menu = menuOf(text);
      if (!menu) continue;
      const drawn = [
        ...menu.said,
        menu.title,
        ...menu.lines,
        ...(menu.heading ? [menu.heading] : []),
        ...menu.numbered.map(({ send, label, state }) => `${send}. ${label}${state ? ` (${state})` : ""}`),
        ...(menu.commands ? [menu.commands, ...menu.words.map((word) => `- ${word}`)] : []),
        ...menu.hints,
      ];
      expect(new Set(drawn)).toEqual(new Set(text.split("\n").filter((line) => line !== "")));
    }
  });

  it("says which app runs and which is off", () => {
    const text = "Application Manager\nRegistry file: ~/r.json\n\nApplications\n1. Firefox (running)\n2. Steam (off)\n3. 微信\n\nCommands\n- add\n- quit\n\nReply with `add` or `quit`.";
    expect(menuOf(text)?.numbered).toEqual([{ send: "1", label: "Firefox", state: "running" }, { send: "2", label: "Steam", state: "off" }, { send: "3", label: "微信" }]);
  });
});

describe("texts that are no screen", () => {
  const start = "Application Manager\nRegistry file: ~/r.json\n\nApplications\n1. A\n\nCommands\n- add\n- quit\n\nReply with `add` or `quit`.";

  it("stay text", () => {
    const table = [
      "",
      "Application Manager",
      "Application Manager closed.",
      `${start}\nAnd one line more.`,
      start.replace("- add", "- rm -rf /"),
      start.replace("1. A", "2. A"),
      start.replace("Registry file: ", "File: "),
      start.replace("Reply with `add` or `quit`.", "Reply with `format`."),
      "Shall I go on?\nReply with `yes` or `no`",
      "Reply with `yes` or `no`.",
      "Type `back` to go back or `quit` to exit.",
      `${start}${" ".repeat(70_000)}x`,
    ];
    for (const text of table) expect(menuOf(text), text.slice(0, 60)).toBeUndefined();
  });

  it("a value of the registry brings no word of its own", () => {
    const text = "Edit Application\nSelected: A `evil`\n\nWhat is the launch path (an executable or a shortcut)?\nCurrent value: `evil`\nSend an empty line or `keep` to keep the current value.\nType `back` to go back or `quit` to exit.";
    expect(menuOf(text)?.words).toEqual(["keep", "back", "quit"]);
  });
});
