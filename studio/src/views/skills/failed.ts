// Why a change was not saved, as a sentence.
import type { ComponentChildren } from "preact";
import type { CallError } from "../../gateway/failure";
import { t } from "../../words";
import { withCode } from "../../words/rich";

/** A change that is out of date was tried twice by then. */
export function whyNotSaved(error: CallError): ComponentChildren {
  if (error.isStale) return t("skills.changedTwice");
  return withCode(/[.!?。]$/.test(error.message) ? error.message : `${error.message}.`);
}
