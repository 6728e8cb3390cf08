// One finding: rule, place, excerpt, explanation; and acceptance of a warning for this version.
import { useId, useRef, useState } from "preact/hooks";
import { call } from "../../../gateway/calls";
import type { Finding } from "../../../generated/protocol";
import { Button, Chip, ErrorState, Icon } from "../../../components";
import { showToast } from "../../../state/toast";
import { t } from "../../../words";
import { rules } from "../../../words/gateway/rules";
import { rich } from "../../../words/rich";
import { chineseFor, gatewayText } from "../../../words/gateway-text";
import { useAction } from "../use-action";
import type { SectionProps } from "./Configure";
import { shortHash } from "./hash";

type FindingProps = SectionProps & { finding: Finding };

const titles = { critical: "setup.critical", warning: "setup.warning", info: "setup.note" } as const;

export function FindingCard({ finding, ...section }: FindingProps) {
  const isCritical = finding.severity === "critical";
  const chinese = chineseFor(rules, finding.rule);
  return (
    <article class={isCritical ? "finding crit" : "finding"}>
      <header>
        <Icon name={isCritical ? "shieldx" : finding.severity === "warning" ? "warn" : "info"} />
        <b>{rich(titles[finding.severity], { title: chinese?.title ?? gatewayText(finding.title) })}</b>
        <code>{finding.rule}</code>
      </header>
      <div class="in">
        <p class="muted">
          {rich("setup.place", { file: finding.file, line: finding.line, column: finding.column })}
          {finding.more > 0 && <> {t("setup.morePlaces", { n: finding.more })}</>}
        </p>
        <div class={isCritical ? "excerpt crit" : "excerpt"} role="group" aria-label={t("setup.excerpt")}>
          <span class="ln hit">{finding.line}</span>
          <code class="hit">
            <mark>{finding.excerpt}</mark>
          </code>
        </div>
        <p>
          {chinese?.why ?? gatewayText(finding.why)} {rich("setup.whatToDo", { fix: chinese?.fix ?? gatewayText(finding.fix) })}
        </p>
        {finding.severity === "warning" && section.entry.skill.blockedBy !== "security" && <Acceptance {...section} finding={finding} />}
      </div>
    </article>
  );
}

/** An acceptance is pinned to the current files; any change voids it. */
function Acceptance({ finding, entry, reload, undoing }: FindingProps) {
  const { skill, agentId } = entry;
  const [isOpen, open] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const act = useAction();
  const { rule } = finding;

  const set = (reason?: string) => call("skills.accept", { agentId, name: skill.name, rule, ...(reason && { reason }) }).then(reload);
  const accept = (reason: string) =>
    act.run(async () => {
      await set(reason);
      showToast({ text: t("setup.nowAccepted", { rule, name: skill.name }), undo: () => undoing.run(() => set()) });
    });
  const unaccept = () =>
    act.run(async () => {
      await set();
      showToast({ text: t("setup.nowUnaccepted", { rule, name: skill.name }) });
    });
  const submit = () => {
    const reason = field.current?.value.trim();
    if (reason) void accept(reason).then((isDone) => isDone && open(false));
    else field.current?.focus();
  };

  if (finding.accepted) {
    return (
      <div class="btns">
        <Chip kind="ready" icon="shieldok">
          {t("setup.accepted")}
        </Chip>
        <Button small busy={act.busy} onClick={() => void unaccept()}>
          {t("setup.unaccept")}
        </Button>
        {act.error && <ErrorState error={act.error} />}
      </div>
    );
  }
  const hash = shortHash(skill.scan.hash);
  return (
    <>
      {isOpen ? (
        <form
          class="field"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <label for={id}>{t("setup.reason")}</label>
          <div class="btns">
            <input ref={field} id={id} class="input grow" type="text" required maxLength={500} autocomplete="off" aria-describedby={`${id}h`} />
            <Button type="submit" busy={act.busy}>
              {t("setup.doAccept")}
            </Button>
            <Button kind="quiet" onClick={() => open(false)}>
              {t("shared.cancel")}
            </Button>
          </div>
          <p class="hint" id={`${id}h`}>
            {t("setup.reasonHint")}
          </p>
        </form>
      ) : (
        hash && (
          <div class="btns">
            <Button label={t("setup.acceptOf", { rule })} onClick={() => open(true)}>
              {t("setup.accept")}
            </Button>
            <span class="hint">{rich("setup.acceptHint", { hash })}</span>
          </div>
        )
      )}
      {act.error && <ErrorState error={act.error} />}
    </>
  );
}
