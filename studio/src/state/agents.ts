// The agents of this gateway, and the one in view.
import { computed } from "@preact/signals";
import type { AgentEntry, AgentsList } from "../generated/protocol";
import { call } from "../gateway/calls";
import { resource } from "./resource";
import { route } from "./route";

export const agents = resource<AgentsList>(() => call("agents.list", {}), { on: { "config.changed": true } });

/** The name to show. */
export const agentName = (agent: AgentEntry): string => agent.identity?.name || agent.name || agent.id;

/** An emoji, or the first letter of the name. */
export function agentFace(agent: AgentEntry): string {
  const first = [...agentName(agent)][0] ?? "?";
  return agent.identity?.emoji || first.toUpperCase();
}

/** The agent of a session key, `agent:<id>:<rest>`. */
export const agentIdOf = (sessionKey: string): string | undefined => /^agent:([^:]+):/.exec(sessionKey)?.[1];

export const mainSessionOf = (agentId: string, mainKey: string): string => `agent:${agentId}:${mainKey}`;

export const agentOf = (list: AgentsList, id: string | undefined): AgentEntry | undefined =>
  list.agents.find((agent) => agent.id === id);

export const defaultAgent = (list: AgentsList): AgentEntry | undefined =>
  agentOf(list, list.defaultId) ?? list.agents[0];

/** The agent in the address, else the default one, with the unknown id. */
export const agentInView = computed<{ agent: AgentEntry | undefined; unknownId?: string }>(() => {
  const list = agents.value.value;
  if (!list) return { agent: undefined };
  const to = route.value;
  const id = to.view === "settings" ? to.agentId : to.session && agentIdOf(to.session);
  const agent = agentOf(list, id);
  if (agent || !id) return { agent: agent ?? defaultAgent(list) };
  return { agent: defaultAgent(list), unknownId: id };
});
