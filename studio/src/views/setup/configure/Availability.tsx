// Whether a skill is enabled for all agents; changing it asks first and names the affected agents.
import { useState } from "preact/hooks";
import { call } from "../../../gateway/calls";
import { Button, Confirm, ErrorState } from "../../../components";
import { changeConfig } from "../../../state/config";
import { showToast } from "../../../state/toast";
import { listed, t } from "../../../words";
import { rich } from "../../../words/rich";
import { nameOf } from "../Band";
import { useAction } from "../use-action";
import type { SectionProps } from "./Configure";
import { Section } from "./Section";
import { withBundled } from "./bundled";

export function Availability({ entry, list, reload, undoing }: SectionProps) {
  const { skill, allowedFor } = entry;
  const [isAsking, ask] = useState(false);
  const act = useAction();
  const isOn = !skill.disabled;
  const names = listed(allowedFor.map((id) => nameOf(list, id)));
  const whom = allowedFor.length > 0 ? t("setup.allowedFor", { names }) : t("setup.noAgent");

  const set = (enabled: boolean) => call("skills.update", { skillKey: skill.skillKey, enabled }).then(reload);
  const turn = (enabled: boolean) =>
    act.run(async () => {
      await set(enabled);
      const text = enabled ? t("setup.nowEnabled", { name: skill.name }) : t("setup.nowDisabled", { name: skill.name });
      showToast({ text, undo: () => undoing.run(() => set(!enabled)) });
    });
  const addBundled = () =>
    act.run(async () => {
      await changeConfig((config) => withBundled(config, skill.skillKey));
      await reload();
      showToast({ text: t("setup.nowBundled", { name: skill.name }) });
    });
  return (
    <Section icon="power" title={t("setup.availability")}>
      <div class="btns">
        <p class="grow">
          {isOn ? rich("setup.enabled") : rich("setup.disabled")} <span class="muted">{t("setup.isFor", { whom })}</span>
        </p>
        <Button busy={act.busy} onClick={() => ask(true)}>
          {isOn ? t("setup.disable") : t("setup.enable")}
        </Button>
      </div>
      {skill.blockedByAllowlist && (
        <div class="btns">
          <p class="grow muted">{rich("setup.notBundled")}</p>
          <Button busy={act.busy} onClick={() => void addBundled()}>
            {t("setup.addBundled")}
          </Button>
        </div>
      )}
      {act.error && <ErrorState error={act.error} />}
      {isAsking && (
        <Confirm
          scope="gateway"
          title={isOn ? t("setup.askDisable", { name: skill.name }) : t("setup.askEnable", { name: skill.name })}
          effects={[
            { icon: "users", text: allowedFor.length > 0 ? t("setup.affects", { names }) : t("setup.affectsNone") },
            { icon: "info", text: isOn ? t("setup.stopsNext") : t("setup.startsNext") },
          ]}
          yes={isOn ? t("setup.doDisable") : t("setup.doEnable")}
          onYes={() => {
            ask(false);
            void turn(!isOn);
          }}
          onNo={() => ask(false)}
        />
      )}
    </Section>
  );
}
