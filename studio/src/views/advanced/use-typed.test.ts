import { expect, it } from "vitest";
import { textAfter } from "./use-typed";

it("what is known later replaces what was not touched or is saved, and never what is being typed", () => {
  expect(textAfter({ known: "Ada", text: "Ada" }, "Mira")).toBe("Mira");
  expect(textAfter({ known: " Ada", text: " Ada" }, "Mira")).toBe("Mira");
  expect(textAfter({ known: "Mira", text: "Mira " }, "Ada")).toBe("Ada");
  expect(textAfter({ known: "Ada", text: "Mi" }, "Lena")).toBe("Mi");
});
