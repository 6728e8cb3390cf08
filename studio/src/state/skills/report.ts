// An agent's skills report. It is large with a thousand skills: the view and the navigation beside it share one load.
import { untracked } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { call } from "../../gateway/calls";
import type { SkillsReport } from "../../generated/protocol";
import { type Resource, resource, shareResource } from "../resource";

export function useSkillsReport(agentId: string): Resource<SkillsReport> {
  const { resource: shared, leave } = useMemo(() => shareResource(`skills.status ${agentId}`, () => untracked(() => read(agentId))), [agentId]);
  useLayoutEffect(() => leave, [leave]);
  return shared;
}

const read = (agentId: string) =>
  resource(() => call("skills.status", { agentId }), { on: { "skills.changed": true, "config.changed": true } });
