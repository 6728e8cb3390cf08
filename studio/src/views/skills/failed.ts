// Why a change was not saved, as a sentence.
import type { ComponentChildren } from "preact";
import type { CallError } from "../../gateway/failure";
import { t } from "../../words";
import { ended, told } from "../../words/told";

/** A change that is out of date was tried twice by then. */
export const whyNotSaved = (error: CallError): ComponentChildren => (error.isStale ? t("skills.changedTwice") : told(error, ended));
