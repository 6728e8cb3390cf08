// Routes to System setup, with and without a skill.
import { type SettingsRoute, route, settings } from "../../state/route";
import type { GatewaySkill } from "../../state/skills/gateway-skills";

/** Keeps the agent whose settings are open, unless it does not have the skill. */
export function toSkill({ skill, seenBy, agentId }: GatewaySkill): SettingsRoute {
  const open = openAgent();
  return settings("setup", { agentId: open === undefined || seenBy.includes(open) ? open : agentId, skill: skill.skillKey });
}

export const toSetup = (): SettingsRoute => settings("setup", { agentId: openAgent() });

function openAgent(): string | undefined {
  const now = route.value;
  return now.view === "settings" ? now.agentId : undefined;
}
