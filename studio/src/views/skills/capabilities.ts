// Names and meanings of capabilities.
import type { Capability } from "../../generated/protocol";
import { t } from "../../words";

export const capabilityName = (capability: Capability): string => t(`skills.${capability}`);
export const capabilityMeans = (capability: Capability): string => t(`skills.${capability}Means`);

/** For a tooltip: "Shell: runs programs and commands". */
export const capabilityTip = (capability: Capability): string =>
  t("skills.capability", { name: capabilityName(capability), means: lowered(capabilityMeans(capability)) });

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
