// Why a change was not saved, as a sentence.
import type { ComponentChildren } from "preact";
import type { CallError } from "../../gateway/failure";
import { t } from "../../words";
import { withFullStop, callErrorText } from "../../words/gateway-text";

/** A stale change has already been retried once. */
export const saveErrorText = (error: CallError): ComponentChildren => (error.isStale ? t("skills.changedTwice") : callErrorText(error, withFullStop));
