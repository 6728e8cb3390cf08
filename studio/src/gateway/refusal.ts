// Why the gateway refuses this page, as the few kinds that a person can act on.
import { CallError, textAt } from "./failure";

export type RefusalKind = "token" | "protocol" | "origin" | "device" | "pairing" | "other";

export type Refusal = {
  kind: RefusalKind;
  /** The gateway's own message. */
  message: string;
  /** The gateway's own code, if it has one. */
  code?: string;
};

/** Too many attempts: waiting is enough. */
export const isTooMany = (error: CallError): boolean => error.reason === "AUTH_RATE_LIMITED";

export function refusalOf(error: CallError): Refusal {
  const code = textAt(error.details, "code");
  return { kind: kindOf(code), message: error.message, ...(code && { code }) };
}

function kindOf(code = ""): RefusalKind {
  if (code.startsWith("AUTH_")) return "token";
  if (code === "PROTOCOL_MISMATCH") return "protocol";
  if (code === "CONTROL_UI_ORIGIN_NOT_ALLOWED") return "origin";
  if (code === "PAIRING_REQUIRED") return "pairing";
  if (code.startsWith("DEVICE_AUTH_") || code === "CONTROL_UI_DEVICE_IDENTITY_REQUIRED") return "device";
  return "other";
}
