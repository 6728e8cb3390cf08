// Trusting a blocked skill as one's own: its critical findings and the agents that would use it, then its typed name.
// The gateway checks the name and the version that was shown.
import { call } from "../../../gateway/calls";
import type { SkillStatus } from "../../../generated/protocol";
import { Icon } from "../../../components";
import { showToast } from "../../../state/toast";
import { listed, t } from "../../../words";
import { rich } from "../../../words/rich";
import { findingTitle } from "../../skills/Reason";
import { nameOf } from "../Band";
import { useAction } from "../use-action";
import type { SectionProps } from "./Configure";
import { TypedName } from "./DangerZone";

/** Blocked by its scan. Without a hash it was not scanned, and nothing can be decided about it. */
export const isTrustable = ({ blockedBy, scan }: SkillStatus): boolean => blockedBy === "security" && scan.hash !== undefined;

export function TrustBlocked({ entry, list, reload, undoing }: SectionProps) {
  const { skill, agentId, allowedFor } = entry;
  const act = useAction();
  const critical = skill.scan.findings.filter(({ severity }) => severity === "critical");
  const names = listed(allowedFor.map((id) => nameOf(list, id)));
  const trust = (name: string) =>
    act.run(async () => {
      const confirm = { name, hash: skill.scan.hash ?? "" };
      await call("skills.trust", { agentId, name: skill.name, tier: "local", confirm });
      await reload();
      showToast({
        text: t("setup.nowTrust", { name: skill.name, tier: t("setup.local") }),
        undo: () => undoing.run(() => call("skills.trust", { agentId, name: skill.name, tier: "community" }).then(reload)),
      });
    });
  return (
    <TypedName
      name={skill.name}
      label={rich("setup.typeToTrust", { name: skill.name })}
      act={act}
      button={t("setup.doLocal")}
      onConfirm={(typed) => void trust(typed)}
    >
      <p>{t("setup.trustBlocked")}</p>
      <ul class="reasons" aria-label={t("setup.criticalFindings")}>
        {critical.map((finding) => (
          <li key={`${finding.rule} ${finding.fingerprint} ${finding.line}`}>
            <Icon name="shieldx" size="s" />
            <span>{rich("skills.whyFinding", { line: finding.line, file: finding.file, title: findingTitle(finding) })}</span>
          </li>
        ))}
      </ul>
      <p>{allowedFor.length > 0 ? t("setup.trustAgents", { names }) : t("setup.trustNoAgent")}</p>
    </TypedName>
  );
}
