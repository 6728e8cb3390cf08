// Asks before the access mode of an agent changes: what it changes to, what stays, what becomes of new skills.
import { Confirm } from "../../parts";
import type { Mode } from "../../state/skills/access";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { modeName } from "./Header";

/** What is to be changed: one skill off while all are allowed, or the mode. */
export type Asked = { kind: "off"; skill: string } | { kind: "mode"; to: Mode };

type AskProps = {
  asked: Asked;
  name: string;
  from: Mode;
  /** Skills that are there, and those that are allowed. */
  all: number;
  allowed: number;
  onYes: () => void;
  onNo: () => void;
};

export function Ask({ asked, name, from, all, allowed, onYes, onNo }: AskProps) {
  const changes = (to: Mode) => ({
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
