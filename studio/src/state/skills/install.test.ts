import { beforeEach, expect, it, vi } from "vitest";
import { CallError } from "../../gateway/failure";
import { emit } from "../../gateway/events";
import { install, installations, isRunning, stop } from "./install";

const calls = vi.hoisted(() => ({ call: vi.fn(), knows: () => true }));
vi.mock("../../gateway/calls", () => calls);

const BREW = { name: "query", skillKey: "q", installId: "brew" };
const one = () => installations.value.get("q");
const writes = (text: string, installId = "brew") => emit("skills.install.output", { ...BREW, installId, stream: "stdout", text, seq: 1 });

/** A request that the test answers. */
function pendingCall(): { answer: (value: unknown) => void; fail: (error: CallError) => void } {
  let answer: (value: unknown) => void = () => {};
  let fail: (error: CallError) => void = () => {};
  calls.call.mockImplementationOnce(() => new Promise((resolve, reject) => ([answer, fail] = [resolve, reject])));
  return { answer: (value) => answer(value), fail: (error) => fail(error) };
}

beforeEach(() => {
  installations.value = new Map();
  calls.call.mockReset();
});

it("a cancelled one keeps its output and says who cancelled it", async () => {
  const request = pendingCall();
  const running = install("q", "query", "brew");
  writes("begun\n");
  writes("of another way\n", "npm");
  calls.call.mockResolvedValueOnce({ ok: true });
  await stop(one()!);
  expect([calls.call.mock.lastCall?.slice(0, 2), one()?.isStopping]).toEqual([["skills.install.stop", { name: "query", installId: "brew" }], true]);
  // The answer has more than the event.
  emit("skills.install.ended", { ...BREW, outcome: "stopped", by: "Studio" });
  expect(isRunning(one())).toBe(true);
  request.fail(new CallError("UNAVAILABLE", "stopped", { code: "interrupted", by: "Studio" }));
  await running;
  expect([one()?.output, one()?.error?.reason, isRunning(one())]).toEqual(["begun\n", "interrupted", false]);
});

it("one started by another client appears with its output until it ends", () => {
  writes("theirs\n");
  expect([one()?.output, one()?.isOwn, isRunning(one())]).toEqual(["theirs\n", false, true]);
  emit("skills.install.ended", { ...BREW, outcome: "installed", by: null });
  expect([one()?.ended?.outcome, isRunning(one())]).toEqual(["installed", false]);
});

it("one whose response was lost goes on", async () => {
  const request = pendingCall();
  const running = install("q", "query", "brew");
  writes("a");
  request.fail(new CallError("DISCONNECTED", "gone"));
  await running;
  expect(isRunning(one())).toBe(false);
  writes("b");
  expect([one()?.output, isRunning(one())]).toEqual(["ab", true]);
  emit("skills.install.ended", { ...BREW, outcome: "failed", by: null });
  expect(isRunning(one())).toBe(false);
});

it("one that cannot be stopped goes on and says why; one that has ended by itself is no failure", async () => {
  writes("theirs");
  calls.call.mockRejectedValueOnce(new CallError("FORBIDDEN", "missing scope"));
  await stop(one()!);
  expect([one()?.isStopping, one()?.notStopped?.message]).toEqual([false, "missing scope"]);
  calls.call.mockRejectedValueOnce(new CallError("INVALID_REQUEST", "nothing runs", { code: "not-found" }));
  await stop(one()!);
  expect(one()?.notStopped).toBeUndefined();
});
