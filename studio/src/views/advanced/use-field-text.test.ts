import { expect, it } from "vitest";
import { nextFieldText } from "./use-field-text";

it("a later value replaces untouched or saved fields, never one being edited", () => {
  expect(nextFieldText({ known: "Ada", text: "Ada" }, "Mira")).toBe("Mira");
  expect(nextFieldText({ known: " Ada", text: " Ada" }, "Mira")).toBe("Mira");
  expect(nextFieldText({ known: "Mira", text: "Mira " }, "Ada")).toBe("Ada");
  expect(nextFieldText({ known: "Ada", text: "Mi" }, "Lena")).toBe("Mi");
});
