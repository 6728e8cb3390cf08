// The dialog of one skill: everything that makes it work, or stops it, for all agents of this gateway.
// Promises: each change is saved by itself and says what became of it where it was made; a secret is never shown.
import type { AgentsList, SkillRemoved } from "../../../generated/protocol";
import { Button, Dialog, ErrorState, Icon, ReadinessChip } from "../../../parts";
import { type Config, config } from "../../../state/config";
import { readiness } from "../../../state/readiness";
import type { GatewaySkill } from "../../../state/skills/every";
import { toast, undoToast } from "../../../state/toast";
import { t } from "../../../words";
import { ended } from "../../../words/told";
import { reasonText } from "../../skills/Reason";
import { langOf } from "../../skills/SkillName";
import { sourceWord } from "../../skills/sources";
import { dialogBand } from "../Band";
import type { Act } from "../act";
import { About, Links } from "./About";
import { Availability } from "./Availability";
import { Capabilities } from "./Capabilities";
import { Install } from "./Install";
import { Keys } from "./Keys";
import { Remove } from "./Remove";
import { Requirements } from "./Requirements";
import { Scan } from "./Scan";

export type ConfigureProps = {
  entry: GatewaySkill;
  list: AgentsList;
  /** The folder of the default agent. */
  installsTo: string;
  /** Reads what is shown again, after a change. */
  reload: () => Promise<unknown>;
  /** Takes back what was done; it outlives the dialog, as its toast does. */
  takingBack: Act;
  onRemoved: (removed: SkillRemoved) => void;
  onClose: () => void;
};

/** What every section of it is given. */
export type SectionProps = Pick<ConfigureProps, "entry" | "list" | "reload" | "takingBack">;

export function Configure(props: ConfigureProps) {
  const { entry, list, installsTo, reload, takingBack, onClose } = props;
  const { skill } = entry;
  const standing = readiness(skill);
  // What blocks it comes first.
  const isBlocked = standing.readiness === "blocked";
  // What is missing is in the requirements.
  const others = standing.reasons.filter(({ kind }) => ["finding", "not-scanned", "off", "not-bundled", "unreadable"].includes(kind));
  const given: SectionProps = { entry, list, reload, takingBack };
  return (
    <Dialog
      scope="gateway"
      band={dialogBand(list, installsTo)}
      emoji={skill.emoji ?? "🧩"}
      title={
        <>
          <span lang={langOf(skill.name)}>{skill.name}</span>
          <ReadinessChip readiness={standing.readiness} />
        </>
      }
      lead={
        <>
          <span lang={langOf(skill.description)}>{ended(skill.description)}</span> {sourceWord(skill.source)}
          {skill.author && t("setup.by", { author: skill.author })}
          <Links skill={skill} />
        </>
      }
      label={t("setup.contentOf", { name: skill.name })}
      onClose={onClose}
      footer={<Footer onClose={onClose} />}
    >
      {takingBack.error && <ErrorState error={takingBack.error} title={t("setup.notTakenBack")} />}
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
      {isBlocked && <Scan {...given} />}
      <Requirements skill={skill} />
      <Install {...given} />
      <Keys {...given} config={config.value.value?.config as Config | undefined} />
      <Availability {...given} />
      <Capabilities {...given} />
      {!isBlocked && <Scan {...given} />}
      <About skill={skill} />
      <Remove {...given} onRemoved={props.onRemoved} />
    </Dialog>
  );
}

/** The toast is out of reach behind a dialog: what was done last is told here, with its way back. */
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
