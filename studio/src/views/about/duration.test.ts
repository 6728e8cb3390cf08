import { afterEach, expect, it } from "vitest";
import { language } from "../../state/preferences";
import { duration } from "./duration";

afterEach(() => {
  language.value = "en";
});

it.each([
  [0, "0 seconds"],
  [-5, "0 seconds"],
  [12_900, "12 seconds"],
  [60_000, "1 minute"],
  [3_725_000, "1 hour, 2 minutes"],
  [90_061_000, "1 day, 1 hour"],
])("%i ms are told in the two largest units", (ms, said) => {
  expect(duration(ms)).toBe(said);
});

it("is in the language of the page", () => {
  language.value = "zh";
  expect(duration(3_725_000)).toBe("1小时2分钟");
});
