import { describe, expect, it, vi } from "vitest";
import { pauseMs } from "./backoff";
import { on, emit } from "./events";
import { CallError, asCallError } from "./failure";
import { isTooMany, refusalOf } from "./refusal";

describe("the delay before a retry", () => {
  it("doubles up to a bound, with half of it random", () => {
    expect([0, 1, 2, 20].map((tries) => pauseMs(tries, 1))).toEqual([500, 1000, 2000, 15_000]);
    expect(pauseMs(3, 0)).toBe(2000);
  });
});

describe("a refusal", () => {
  const kind = (code: string) => refusalOf(new CallError("INVALID_REQUEST", "no", { code })).kind;

  it("has the class that tells what to do about it", () => {
    expect(
      [
        "AUTH_TOKEN_MISSING",
        "AUTH_PASSWORD_MISMATCH",
        "PROTOCOL_MISMATCH",
        "CONTROL_UI_ORIGIN_NOT_ALLOWED",
        "DEVICE_AUTH_SIGNATURE_INVALID",
        "CONTROL_UI_DEVICE_IDENTITY_REQUIRED",
        "PAIRING_REQUIRED",
        "SOMETHING_NEW",
      ].map(kind),
    ).toEqual(["token", "token", "protocol", "origin", "device", "device", "pairing", "other"]);
  });

  it("for too many attempts is temporary", () => {
    expect(isTooMany(new CallError("INVALID_REQUEST", "wait", { code: "AUTH_RATE_LIMITED" }))).toBe(true);
  });
});

describe("an event", () => {
  it("reaches every listener until it unsubscribes, even if one throws", () => {
    const silent = vi.spyOn(console, "error").mockImplementation(() => {});
    const heard = vi.fn();
    const ends = [on("tick", () => { throw new Error("broken"); }), on("tick", heard), on("tick", heard)];
    emit("tick", { ts: 1 });
    expect(heard).toHaveBeenCalledTimes(2);
    for (const end of ends) end();
    emit("tick", { ts: 2 });
    expect(heard).toHaveBeenCalledTimes(2);
    silent.mockRestore();
  });
});

it("any thrown value has a message", () => {
  expect(asCallError(new Error("odd"))).toMatchObject({ code: "UNAVAILABLE", message: "odd" });
  expect(asCallError("odd").message).toBe("odd");
});
