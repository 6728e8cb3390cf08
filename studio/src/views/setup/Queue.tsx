// The skills that need setup, grouped by what is missing first.
import { useMemo } from "preact/hooks";
import { Icon, type IconName, Link, VirtualList } from "../../components";
import { type ReadinessReason, readinessWithReasons } from "../../state/readiness";
import type { GatewaySkill } from "../../state/skills/gateway-skills";
import { type Key, number, t } from "../../words";
import { rich } from "../../words/rich";
import { codes, diagnosis, reasonText } from "../skills/Reason";
import { langOf } from "../skills/SkillName";
import { toSkill } from "./links";

type Group = "program" | "key" | "setting" | "file";

const groups: readonly { of: Group; icon: IconName; title: Key & ("setup.groupProgram" | "setup.groupKey" | "setup.groupSetting" | "setup.groupFile") }[] = [
  { of: "program", icon: "shell", title: "setup.groupProgram" },
  { of: "key", icon: "key", title: "setup.groupKey" },
  { of: "setting", icon: "gear", title: "setup.groupSetting" },
  { of: "file", icon: "file", title: "setup.groupFile" },
];

export function Queue({ skills }: { skills: readonly GatewaySkill[] }) {
  const waiting = useMemo(() => skills.flatMap(queuedSkill), [skills]);
  const grouped = useMemo(() => groups.map((one) => ({ ...one, own: waiting.filter(({ group }) => group === one.of) })), [waiting]);
  return (
    <section class="card" aria-labelledby="setup-queue">
      <header>
        <Icon name={waiting.length > 0 ? "wrench" : "ok"} />
        <h2 id="setup-queue">{waiting.length > 0 ? t("setup.queue", { n: waiting.length }) : t("setup.queueNone")}</h2>
        {waiting.length > 0 && <p class="grow">{t("setup.grouped")}</p>}
      </header>
      {waiting.length > 0 && (
        <div class="queue">
          {grouped.map(
            ({ of, icon, title, own }) =>
              own.length > 0 && (
                <section key={of}>
                  <h3>
                    <Icon name={icon} size="s" />
                    {t(title)} <span class="quiet num">{number(own.length)}</span>
                  </h3>
                  <VirtualList items={own} keyOf={({ entry }) => entry.skill.filePath} estimate={36}>
                    {drawQueuedSkill}
                  </VirtualList>
                </section>
              ),
          )}
        </div>
      )}
    </section>
  );
}

type QueuedSkill = { entry: GatewaySkill; first: ReadinessReason; group: Group };

function queuedSkill(entry: GatewaySkill): QueuedSkill[] {
  const { readiness: word, reasons } = readinessWithReasons(entry.skill);
  const [first] = reasons;
  return word === "setup" && first ? [{ entry, first, group: groupOf(first) }] : [];
}

function drawQueuedSkill({ entry, first }: QueuedSkill) {
  const { skill } = entry;
  return (
    <>
      <span aria-hidden="true">{skill.emoji ?? "🧩"}</span>
      <span class="what">
        <b class="cut" title={skill.name} lang={langOf(skill.name)}>
          {skill.name}
        </b>
        <span class="cut">{requirementText(first)}</span>
      </span>
      <Link class="btn sm" to={toSkill(entry)} label={t("setup.setUpOf", { name: skill.name })}>
        {t("setup.setUp")}
      </Link>
    </>
  );
}

function groupOf({ kind }: ReadinessReason): Group {
  if (kind === "program" || kind === "one-program") return "program";
  return kind === "key" || kind === "setting" ? kind : "file";
}

function requirementText(reason: ReadinessReason) {
  switch (reason.kind) {
    case "program":
    case "key":
      return rich("setup.needs", { what: <code>{reason.name}</code> });
    case "one-program":
      return rich("setup.needs", { what: codes(reason.names) });
    case "setting":
      return rich("setup.needs", { what: <code>{reason.path}</code> });
    case "unreadable":
      return reason.diagnostic ? diagnosis(reason.diagnostic) : reasonText(reason);
    default:
      return reasonText(reason);
  }
}
