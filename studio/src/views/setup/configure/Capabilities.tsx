// The capabilities that a skill declares and uses, and the owner's grants, pinned to the current files.
import { useState } from "preact/hooks";
import { call } from "../../../gateway/calls";
import type { Capability, SkillCapabilities } from "../../../generated/protocol";
import { Banner, Button, Confirm, ErrorState, Icon } from "../../../components";
import { showToast } from "../../../state/toast";
import { listed, t } from "../../../words";
import { rich } from "../../../words/rich";
import { gatewayText } from "../../../words/gateway-text";
import { capabilityMeans, capabilityName } from "../../skills/capabilities";
import { capabilitiesOf } from "../../skills/SkillName";
import { useAction } from "../use-action";
import type { SectionProps } from "./Configure";
import { Section } from "./Section";
import { Trust } from "./Trust";
import { shortHash } from "./hash";

export function Capabilities({ entry, list, reload, undoing }: SectionProps) {
  const { skill, agentId } = entry;
  const [pending, setPending] = useState<Capability>();
  const act = useAction();
  const { capabilities, scan } = skill;
  const all = capabilitiesOf(skill);
  const hash = shortHash(scan.hash);
  // While findings block it, nothing can be granted.
  const isBlocked = skill.blockedBy === "security";

  const set = (capability: Capability, isGranted: boolean) =>
    call(isGranted ? "skills.grant" : "skills.revoke", { agentId, name: skill.name, capabilities: [capability] }).then(reload);
  const decide = (capability: Capability, isGranted: boolean) =>
    act.run(async () => {
      await set(capability, isGranted);
      const values = { name: skill.name, capability: capabilityName(capability) };
      showToast({
        text: isGranted ? t("setup.nowGranted", values) : t("setup.nowRevoked", values),
        undo: () => undoing.run(() => set(capability, !isGranted)),
      });
    });
  const see = () =>
    act.run(async () => {
      await call("skills.seen", { agentId, name: skill.name, hash: scan.hash ?? "" });
      await reload();
      showToast({ text: t("setup.nowSeen", { name: skill.name }) });
    });

  const usable = all.filter((capability) => capabilities?.effective.includes(capability)).length;
  return (
    <Section
      icon="shield"
      title={t("skills.capabilities")}
      small={capabilities?.enforced && all.length > 0 ? t("setup.usableOf", { usable, all: all.length }) : undefined}
    >
      {all.length === 0 ? (
        <p class="muted">{t("setup.asksNothing")}</p>
      ) : (
        <table class="captable">
          <thead>
            <tr>
              <th scope="col">{t("setup.headCapability")}</th>
              <th scope="col">{t("setup.headMeans")}</th>
              <th scope="col">{t("setup.headVersion")}</th>
              <th scope="col">{t("setup.headGrant")}</th>
            </tr>
          </thead>
          <tbody>
            {capabilities &&
              all.map((capability) => (
                <tr key={capability}>
                  <td>
                    <span class="nm">
                      <Icon name={capability} />
                      {capabilityName(capability)}
                    </span>
                  </td>
                  <td class="mean">{capabilityMeans(capability)}</td>
                  <td>{declarationText(capabilities, capability)}</td>
                  <td>
                    <Grant
                      of={capabilities}
                      capability={capability}
                      canGrant={capabilities.enforced && !isBlocked}
                      busy={act.busy}
                      onGrant={() => setPending(capability)}
                      onTakeBack={() => void decide(capability, false)}
                    />
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      )}
      {capabilities && capabilities.void.length > 0 && (
        <p class="hint">{t("setup.voided", { names: listed(capabilities.void.map(capabilityName)) })}</p>
      )}
      {capabilities?.limits.map((limit) => (
        <p key={limit} class="hint">
          <code>{limit}</code>
        </p>
      ))}
      {capabilities?.problems.map((text) => (
        <p key={text} class="hint">
          {rich("setup.declarationProblem", { text: gatewayText(text) })}
        </p>
      ))}
      {capabilities?.advisory.map((text) => (
        <p key={text} class="hint">
          {rich("setup.declarationAdvisory", { text: gatewayText(text) })}
        </p>
      ))}
      {all.length > 0 && <p class="hint">{capabilities?.enforced ? hash && rich("setup.pinned", { hash }) : t("setup.notEnforced")}</p>}
      {capabilities && !isBlocked && ["unseen", "changed", "widened"].includes(capabilities.consent) && (
        <Banner
          kind="warn"
          action={
            scan.hash && (
              <Button small busy={act.busy} onClick={() => void see()}>
                {t("setup.see")}
              </Button>
            )
          }
        >
          {capabilities.consent === "widened" ? t("setup.widened") : t("setup.unseen")}
        </Banner>
      )}
      <Trust {...{ entry, list, reload, undoing }} />
      {act.error && <ErrorState error={act.error} />}
      {pending && (
        <Confirm
          scope="gateway"
          title={t("setup.askGrant", { capability: capabilityName(pending), name: skill.name })}
          effects={[
            { icon: pending, text: t("setup.grantMeans", { means: capabilityMeans(pending) }) },
            { icon: "shield", text: rich("setup.grantPinned", { hash: hash ?? "" }) },
          ]}
          yes={t("setup.doGrant", { capability: capabilityName(pending) })}
          onYes={() => {
            setPending(undefined);
            void decide(pending, true);
          }}
          onNo={() => setPending(undefined)}
        />
      )}
    </Section>
  );
}

type GrantProps = { of: SkillCapabilities; capability: Capability; canGrant: boolean; busy: boolean; onGrant: () => void; onTakeBack: () => void };

function Grant({ of, capability, canGrant, busy, onGrant, onTakeBack }: GrantProps) {
  const isUsable = of.effective.includes(capability);
  const isGranted = of.granted.includes(capability);
  const name = capabilityName(capability);
  return (
    <>
      <span class={isUsable ? "yes" : "no"}>
        {isUsable && <Icon name="check" size="s" />}
        {isGranted ? t("setup.granted") : isUsable ? t("setup.usable") : t("setup.notGranted")}
      </span>
      {isGranted && (
        <Button small busy={busy} label={t("setup.takeBackOf", { capability: name })} onClick={onTakeBack}>
          {t("setup.takeBack")}
        </Button>
      )}
      {canGrant && !isGranted && !isUsable && (
        <Button small busy={busy} label={t("setup.grantOf", { capability: name })} onClick={onGrant}>
          {t("setup.grant")}
        </Button>
      )}
    </>
  );
}

function declarationText({ declared, used }: SkillCapabilities, capability: Capability): string {
  const [isDeclared, isUsed] = [declared.includes(capability), used?.includes(capability) ?? false];
  if (isDeclared) return isUsed ? t("setup.declaredUsed") : t("setup.declared");
  return isUsed ? t("setup.used") : t("setup.neither");
}
