import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { dismissToast, holdToast, releaseToast, showToast, toast, undoToast } from "./toast";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  dismissToast();
  vi.useRealTimers();
});

it("disappears after ten seconds", () => {
  showToast({ text: "Done." });
  vi.advanceTimersByTime(9_999);
  expect(toast.value?.text).toBe("Done.");
  vi.advanceTimersByTime(1);
  expect(toast.value).toBeUndefined();
});

it("stays while it is hovered and focused, until both are over", () => {
  showToast({ text: "Done." });
  holdToast();
  holdToast();
  vi.advanceTimersByTime(60_000);
  releaseToast();
  vi.advanceTimersByTime(60_000);
  expect(toast.value).toBeDefined();
  releaseToast();
  vi.advanceTimersByTime(10_000);
  expect(toast.value).toBeUndefined();
});

it("is one at a time", () => {
  showToast({ text: "One." });
  vi.advanceTimersByTime(9_000);
  showToast({ text: "Two." });
  vi.advanceTimersByTime(9_000);
  expect(toast.value?.text).toBe("Two.");
});

it("undoes its change, once", () => {
  const undo = vi.fn();
  expect(undoToast()).toBe(false);
  showToast({ text: "Done.", undo });
  expect(undoToast()).toBe(true);
  expect(undoToast()).toBe(false);
  expect(undo).toHaveBeenCalledTimes(1);
});
