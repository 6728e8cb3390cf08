// Confirms a change of an agent's access mode: what changes, what stays, and what applies to new skills.
import { Confirm } from "../../components";
import type { AccessMode } from "../../state/skills/access";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { modeName } from "./Header";

/** One skill off while all are allowed, or a new mode. */
export type PendingAccessChange = { kind: "off"; skill: string } | { kind: "mode"; to: AccessMode };

type AskProps = {
  pending: PendingAccessChange;
  name: string;
  from: AccessMode;
  /** The number of all skills, and of allowed ones. */
  all: number;
  allowed: number;
  onYes: () => void;
  onNo: () => void;
};

export function ConfirmAccessChange({ pending: asked, name, from, all, allowed, onYes, onNo }: AskProps) {
  const changes = (to: AccessMode) => ({
    icon: "user" as const,
    text: rich("skills.changesMode", { name, from: modeName(from), to: modeName(to) }),
  });
  const common = { scope: "agent" as const, onYes, onNo };
  const laterNot = { icon: "info" as const, text: t("skills.laterNot") };
  if (asked.kind === "off") {
    const { skill } = asked;
    return (
      <Confirm
        {...common}
        title={t("skills.askOff", { skill, name })}
        effects={[changes("selected"), { icon: "check", text: t("skills.othersStay", { n: all - 1 }) }, laterNot]}
        yes={t("skills.turnOff", { skill })}
        no={t("skills.keepAll")}
      />
    );
  }
  switch (asked.to) {
    case "all":
      return (
        <Confirm
          {...common}
          title={t("skills.askAll", { name })}
          effects={[
            changes("all"),
            { icon: "check", text: t("skills.moreAllowed", { n: all - allowed }) },
            { icon: "info", text: t("skills.laterToo") },
          ]}
          yes={t("skills.doAll")}
        />
      );
    case "selected":
      return (
        <Confirm
          {...common}
          title={t("skills.askSelected", { name })}
          effects={[changes("selected"), { icon: "check", text: t("skills.presentStay", { n: allowed }) }, laterNot]}
          yes={t("skills.doSelected")}
        />
      );
    case "none":
      return (
        <Confirm
          {...common}
          title={t("skills.askNone", { name })}
          effects={[changes("none"), { icon: "warn", text: t("skills.nothingLeft", { name, n: allowed }) }, laterNot]}
          yes={t("skills.doNone")}
        />
      );
  }
}
