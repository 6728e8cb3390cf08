// The error of a failed call: one class for everything between page and gateway.
// `code` is for programs, `message` for people.
import type { ErrorShape, WireCode } from "../generated/protocol";

/** Codes of the page itself, besides the gateway's. */
export type CallCode = WireCode | "DISCONNECTED" | "TIMEOUT";

export class CallError extends Error {
  override readonly name = "CallError";

  constructor(
    readonly code: CallCode,
    message: string,
    readonly details: unknown = undefined,
    readonly retryable: boolean = false,
  ) {
    super(message);
  }

  static fromShape(shape: ErrorShape): CallError {
    return new CallError(shape.code, shape.message, shape.details, shape.retryable ?? false);
  }

  /** The gateway's specific error code, such as `stale` or `AUTH_TOKEN_MISSING`. */
  get reason(): string | undefined {
    return textAt(this.details, "code");
  }

  /** The target changed since it was read. */
  get isStale(): boolean {
    return this.reason === "stale";
  }

  /** It is unknown whether the request took effect. */
  get isLost(): boolean {
    return this.code === "DISCONNECTED" || this.code === "TIMEOUT";
  }
}

/** Any thrown value as a `CallError`. */
export function asCallError(thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  return new CallError("UNAVAILABLE", thrown instanceof Error ? thrown.message : String(thrown));
}

/** A string property of a value of unknown shape. */
export function textAt(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = (value as Record<string, unknown>)[name];
  return typeof found === "string" ? found : undefined;
}
