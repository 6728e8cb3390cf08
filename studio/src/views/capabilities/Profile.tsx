// The number of tools and the profile.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { AgentEntry, ToolGroup } from "../../generated/protocol";
import { type CallError, asCallError } from "../../gateway/failure";
import { ErrorState, Segmented } from "../../components";
import { agentName } from "../../state/agents";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { toolsOf } from "./catalog";
import { changeToolRules } from "./change";
import type { ToolRules } from "./tool-rules";

type ProfileProps = {
  agent: AgentEntry;
  rules: ToolRules;
  profiles: readonly string[];
  /** The common profile. */
  forAll: string | undefined;
  groups: readonly ToolGroup[];
};

const AS_ALL = "";

export function Profile({ agent, rules, profiles, forAll, groups }: ProfileProps) {
  const error = useSignal<CallError | undefined>(undefined);
  const name = agentName(agent);
  const tools = toolsOf(groups);
  const choose = (profile: string) => {
    error.value = undefined;
    const next = ({ profile: _, ...rest }: ToolRules): ToolRules => (profile === AS_ALL ? rest : { ...rest, profile });
    const label = profile === AS_ALL ? t("capabilities.profileAll") : profile;
    void changeToolRules(agent.id, next, t("capabilities.profileDone", { name, profile: label }), (thrown) => (error.value = asCallError(thrown)));
  };
  return (
    <section class="panel" aria-labelledby="tools-count">
      <header>
        <h2 id="tools-count">{t("capabilities.has", { has: tools.filter((tool) => tool.allowed).length, all: tools.length })}</h2>
      </header>
      <div class="in">
        <div class="profiles">
          <span class="label" aria-hidden="true">
            {t("capabilities.profile")}
          </span>
          <Segmented
            label={t("capabilities.profile")}
            value={rules.profile ?? AS_ALL}
            choices={[
              { value: AS_ALL, text: t("capabilities.profileAll") },
              ...profiles.map((profile) => ({ value: profile, text: profile })),
            ]}
            narrow="select"
            onChange={choose}
          />
          <p>{meaning(name, rules.profile, forAll)}</p>
        </div>
        {error.value && <ErrorState error={error.value} title={t("capabilities.notSaved")} />}
      </div>
    </section>
  );
}

function meaning(name: string, own: string | undefined, forAll: string | undefined): ComponentChildren {
  if (own === undefined) {
    return forAll ? rich("capabilities.profileAllIs", { name, profile: forAll }) : t("capabilities.profileAllNone", { name });
  }
  switch (own) {
    case "minimal":
      return t("capabilities.profileMinimal", { name });
    case "coding":
      return t("capabilities.profileCoding", { name });
    case "messaging":
      return t("capabilities.profileMessaging", { name });
    case "full":
      return t("capabilities.profileFull", { name });
    default:
      return rich("capabilities.profileNamed", { name, profile: own });
  }
}
