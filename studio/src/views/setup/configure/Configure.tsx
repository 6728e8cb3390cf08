// The Configure dialog of one skill: requirements, keys, availability, security, for all agents of this gateway.
// Each change is saved by itself and reports its result in place; a secret is never shown.
import type { AgentsList, SkillRemoved } from "../../../generated/protocol";
import { Button, Dialog, ErrorState, Icon, ReadinessChip } from "../../../components";
import { type Config, config } from "../../../state/config";
import { readinessWithReasons } from "../../../state/readiness";
import type { GatewaySkill } from "../../../state/skills/gateway-skills";
import { toast, undoToast } from "../../../state/toast";
import { t } from "../../../words";
import { withFullStop } from "../../../words/gateway-text";
import { reasonText } from "../../skills/Reason";
import { langOf } from "../../skills/SkillName";
import { sourceWord } from "../../skills/sources";
import { AcceptedMark } from "../../skills/Why";
import { dialogBand } from "../Band";
import type { ActionState } from "../use-action";
import { About, Links } from "./About";
import { Availability } from "./Availability";
import { Capabilities } from "./Capabilities";
import { DangerZone } from "./DangerZone";
import { Install } from "./Install";
import { Keys } from "./Keys";
import { Requirements } from "./Requirements";
import { Scan } from "./Scan";

export type ConfigureProps = {
  entry: GatewaySkill;
  list: AgentsList;
  /** The workspace of the default agent. */
  installsTo: string;
  /** Reloads the shown data after a change. */
  reload: () => Promise<unknown>;
  /** Runs undos; it outlives the dialog, like the toast. */
  undoing: ActionState;
  onRemoved: (removed: SkillRemoved) => void;
  onClose: () => void;
};

export type SectionProps = Pick<ConfigureProps, "entry" | "list" | "reload" | "undoing">;

export function Configure(props: ConfigureProps) {
  const { entry, list, installsTo, reload, undoing, onClose } = props;
  const { skill } = entry;
  const skillReadiness = readinessWithReasons(skill);
  // The scan comes first if it blocks.
  const isBlocked = skillReadiness.readiness === "blocked";
  // Missing requirements are listed below.
  const others = skillReadiness.reasons.filter(({ kind }) => ["finding", "not-scanned", "off", "not-bundled", "unreadable"].includes(kind));
  const sectionProps: SectionProps = { entry, list, reload, undoing };
  return (
    <Dialog
      scope="gateway"
      band={dialogBand(list, installsTo)}
      emoji={skill.emoji ?? "🧩"}
      title={
        <>
          <span lang={langOf(skill.name)}>{skill.name}</span>
          <ReadinessChip readiness={skillReadiness.readiness} />
          <AcceptedMark skill={skill} />
        </>
      }
      lead={
        <>
          <span lang={langOf(skill.description)}>{withFullStop(skill.description)}</span> {sourceWord(skill.source)}
          {skill.author && t("setup.by", { author: skill.author })}
          <Links skill={skill} />
        </>
      }
      label={t("setup.contentOf", { name: skill.name })}
      onClose={onClose}
      footer={<Footer onClose={onClose} />}
    >
      {undoing.error && <ErrorState error={undoing.error} title={t("setup.notTakenBack")} />}
      {others.length > 0 && (
        <ul class="reasons">
          {others.map((reason, index) => (
            <li key={index}>
              <Icon name="info" size="s" />
              <span>{reasonText(reason)}</span>
            </li>
          ))}
        </ul>
      )}
      {isBlocked && <Scan {...sectionProps} />}
      <Requirements skill={skill} />
      <Install {...sectionProps} />
      <Keys {...sectionProps} config={config.value.value?.config as Config | undefined} />
      <Availability {...sectionProps} />
      <Capabilities {...sectionProps} />
      {!isBlocked && <Scan {...sectionProps} />}
      <About skill={skill} />
      <DangerZone {...sectionProps} onRemoved={props.onRemoved} />
    </Dialog>
  );
}

/** A dialog covers the toast: the footer shows the last one, with its undo. */
function Footer({ onClose }: { onClose: () => void }) {
  const last = toast.value;
  return (
    <>
      <span class="grow" role="status">
        {last ? last.text : t("setup.saved")}
      </span>
      {last?.undo && (
        <Button small icon="reset" onClick={undoToast}>
          {t("shared.undo")}
        </Button>
      )}
      <Button kind="primary" onClick={onClose}>
        {t("setup.done")}
      </Button>
    </>
  );
}
