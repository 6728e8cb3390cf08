// The trust tier of a skill. Choosing local disables protection, and asks first. A blocked skill is trusted in the
// danger zone only.
import { useState } from "preact/hooks";
import { call } from "../../../gateway/calls";
import type { TrustTier } from "../../../generated/protocol";
import { Confirm, ErrorState, Segmented } from "../../../components";
import { showToast } from "../../../state/toast";
import { t } from "../../../words";
import { useAction } from "../use-action";
import type { SectionProps } from "./Configure";

export function Trust({ entry, reload, undoing }: SectionProps) {
  const { skill, agentId } = entry;
  const [isAsking, ask] = useState(false);
  const act = useAction();
  if (skill.trust === "builtin") return <p class="hint">{t("setup.builtinMeans")}</p>;
  const isBlocked = skill.blockedBy === "security";

  const put = (tier: TrustTier) => call("skills.trust", { agentId, name: skill.name, tier }).then(reload);
  const set = (tier: TrustTier) =>
    act.run(async () => {
      const { trust: before, acceptedFindings } = skill;
      await put(tier);
      const text = t("setup.nowTrust", { name: skill.name, tier: tierName(tier) });
      // Without its trust the skill is blocked: that way back leads through the danger zone.
      showToast({ text, ...(!acceptedFindings && { undo: () => undoing.run(() => put(before)) }) });
    });
  return (
    <div class="stack">
      <p class="label">{t("setup.trust")}</p>
      <Segmented
        label={t("setup.trust")}
        value={skill.trust}
        disabled={act.busy}
        onChange={(tier) => (tier === "local" ? ask(true) : void set(tier))}
        choices={[
          { value: "community", text: t("setup.community") },
          { value: "local", text: t("setup.local"), disabled: isBlocked },
        ]}
      />
      <p class="hint">{skill.trust === "local" ? t("setup.localMeans") : t("setup.communityMeans")}</p>
      {isBlocked && <p class="hint">{t("setup.trustBelow")}</p>}
      {skill.capabilities?.voidTrust && <p class="hint">{t("setup.voidTrust")}</p>}
      {act.error && <ErrorState error={act.error} />}
      {isAsking && (
        <Confirm
          scope="gateway"
          danger
          title={t("setup.askLocal", { name: skill.name })}
          effects={[
            { icon: "shieldx", text: t("setup.localBlocks") },
            { icon: "info", text: t("setup.localPinned") },
          ]}
          yes={t("setup.doLocal")}
          onYes={() => {
            ask(false);
            void set("local");
          }}
          onNo={() => ask(false)}
        />
      )}
    </div>
  );
}

const tierName = (tier: TrustTier): string => (tier === "local" ? t("setup.local") : t("setup.community"));
