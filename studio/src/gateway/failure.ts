// What a request comes back with when it fails: one class for everything that goes wrong between page and gateway.
// Promises: `code` is a word to act on, `message` a sentence to show. Leaves the wording around it to the views.
import type { ErrorShape, WireCode } from "../generated/protocol";

/** Codes of the page itself, beside those of the gateway. */
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

  static of(shape: ErrorShape): CallError {
    return new CallError(shape.code, shape.message, shape.details, shape.retryable ?? false);
  }

  /** The word that the gateway puts beside the class of an error, such as `stale` or `AUTH_TOKEN_MISSING`. */
  get reason(): string | undefined {
    return textAt(this.details, "code");
  }

  /** Whether what was to be changed is another thing by now. */
  get isStale(): boolean {
    return this.reason === "stale" || /re-run config\.get|changed since last load/i.test(this.message);
  }

  /** Whether nothing is known of what became of the request. */
  get isLost(): boolean {
    return this.code === "DISCONNECTED" || this.code === "TIMEOUT";
  }
}

/** Whatever was thrown, as a `CallError`. */
export function asCallError(thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  return new CallError("UNAVAILABLE", thrown instanceof Error ? thrown.message : String(thrown));
}

/** A text inside of something of unknown shape. */
export function textAt(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = (value as Record<string, unknown>)[name];
  return typeof found === "string" ? found : undefined;
}
