// The avatar of an agent.
import type { AgentEntry } from "../generated/protocol";
import { agentFace } from "../state/agents";

export function Avatar({ agent, size }: { agent: AgentEntry; size?: "sm" | "lg" }) {
  return (
    <span class={size ? `avatar ${size}` : "avatar"} aria-hidden="true">
      {agentFace(agent)}
    </span>
  );
}
