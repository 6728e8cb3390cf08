import { expect, it } from "vitest";
import { nextFieldText } from "./use-field-text";

it("what is known later replaces what was not touched or is saved, and never what is being typed", () => {
  expect(nextFieldText({ known: "Ada", text: "Ada" }, "Mira")).toBe("Mira");
  expect(nextFieldText({ known: " Ada", text: " Ada" }, "Mira")).toBe("Mira");
  expect(nextFieldText({ known: "Mira", text: "Mira " }, "Ada")).toBe("Ada");
  expect(nextFieldText({ known: "Ada", text: "Mi" }, "Lena")).toBe("Mi");
});
