// The validated registry: four groups with counts, and each entry with its reasons. Validation repairs nothing.
import { useState } from "preact/hooks";
import type { AppCheck, AppGroup } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { Button, ErrorState, Icon, type IconName, Time } from "../../components";
import { type Resource, lastValue, useResource } from "../../state/resource";
import { number, t } from "../../words";
import { rich } from "../../words/rich";
import { reasonText } from "./Policy";

const groups: readonly { name: AppGroup; icon: IconName; look: "ok" | "warn" | "bad"; text: () => string }[] = [
  { name: "valid", icon: "ok", look: "ok", text: () => t("apps.groupValid") },
  { name: "policy_mismatch", icon: "warn", look: "warn", text: () => t("apps.groupMismatch") },
  { name: "incomplete", icon: "warn", look: "warn", text: () => t("apps.groupIncomplete") },
  { name: "malformed", icon: "warn", look: "bad", text: () => t("apps.groupMalformed") },
];

export function Validation() {
  const check = useResource(() => call("apps.validate", {}), { on: { "apps.changed": true } }, []);
  const [isOpen, open] = useState(false);
  const state = check.state.value;
  const last = lastValue(state);
  return (
    <section class="stack" aria-label={t("apps.validation")}>
      {state.state === "failed" && <ErrorState error={state.error} title={t("apps.checkFailed")} />}
      <div class="sumline">
        <div class="sums" role="status">
          {last && <Counts check={last.value} />}
        </div>
        <span class="grow" />
        {last && (
          <span class="quiet">
            {rich("apps.checked", { time: <Time at={last.at} /> })} {t("apps.repairsNothing")}
          </span>
        )}
        <ValidateButton check={check} onDone={() => open(true)} />
      </div>
      {isOpen && last && <Groups check={last.value} onClose={() => open(false)} />}
    </section>
  );
}

function ValidateButton({ check, onDone }: { check: Resource<AppCheck>; onDone: () => void }) {
  const [busy, setBusy] = useState(false);
  const validate = async () => {
    setBusy(true);
    await check.reload();
    setBusy(false);
    onDone();
  };
  return (
    <Button small busy={busy} onClick={() => void validate()}>
      {t("apps.validate")}
    </Button>
  );
}

function Counts({ check }: { check: AppCheck }) {
  return (
    <>
      {groups.map(({ name, icon, look, text }) => {
        const count = check.groups[name].length;
        return (
          <span key={name} class="g">
            <Icon name={count > 0 ? icon : "circle"} class={count > 0 ? look : "mute"} />
            <span>
              <b class="num">{number(count)}</b> {text()}
            </span>
          </span>
        );
      })}
    </>
  );
}

function Groups({ check, onClose }: { check: AppCheck; onClose: () => void }) {
  return (
    <div class="groups" role="region" aria-label={t("apps.validation")}>
      <header>
        <p class="grow">{check.ok ? t("apps.allValid") : t("apps.someDoubtful")}</p>
        <Button kind="quiet" small icon="x" label={t("apps.closeValidation")} onClick={onClose} />
      </header>
      {groups.map(({ name, text }) => (
        <section key={name}>
          <h3>
            {text()} <span class="n num">{number(check.groups[name].length)}</span>
          </h3>
          <ul>
            {check.groups[name].map((app) => (
              <li key={app.name}>
                <b>{app.name}</b>
                {"reasons" in app && app.reasons.map((reason, index) => <span key={reason}>{reasonText(reason, app.faults?.[index])}</span>)}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
