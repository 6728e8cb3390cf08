// One app in the table: who may launch it, whether it runs, its last launch, its actions.
import type { RegisteredApp } from "../../generated/protocol";
import { Button, Icon, type IconName, Time } from "../../components";
import type { Launches } from "../../state/logs/launches";
import { t } from "../../words";
import type { AppAction, RowState } from "./actions";
import { Policy, nameOf } from "./Policy";
import { type MenuItem, RowMenu } from "./RowMenu";
import { RowResult } from "./RowResult";

export type RowHandlers = {
  act: (act: AppAction) => void;
  edit: () => void;
  policy: () => void;
  remove: () => void;
  dismiss: () => void;
};

type RowProps = { app: RegisteredApp; state: RowState | undefined; launches: Launches | undefined; isTarget: boolean; on: RowHandlers };

/** The column heads; below 720 px each stands before its value. */
export const heads = () => [
  t("apps.application"),
  t("apps.who"),
  t("apps.now"),
  t("apps.lastLaunch"),
  { text: t("apps.actions"), hidden: true as const },
];

export function AppRow({ app, state, launches, isTarget, on }: RowProps) {
  return (
    <>
      <tr class={isTarget ? "target" : undefined} aria-busy={state?.busy ? "true" : undefined}>
        <th scope="row" class="appname">
          <b>{app.name}</b>
          <code class="cut" title={app.launch_path ?? undefined}>
            {app.launch_path || t("apps.noPath")}
          </code>
        </th>
        <td data-head={t("apps.who")}>
          <Policy app={app} />
        </td>
        <td data-head={t("apps.now")}>
          <Running app={app} />
        </td>
        <td class="muted" data-head={t("apps.lastLaunch")}>
          <LastLaunched of={app.name} launches={launches} />
        </td>
        <td>
          <div class="acts">
            <MainButton app={app} busy={state?.busy} onAct={on.act} />
            <RowMenu label={t("apps.more", { name: app.name })} items={itemsOf(app, on)} />
          </div>
        </td>
      </tr>
      {state?.result && (
        <tr class="action-result-row">
          <td colSpan={5}>
            <RowResult app={app} result={state.result} onPolicy={on.policy} onDismiss={on.dismiss} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Whether the entry is complete enough to try; the gateway decides. */
const canTryLaunch = (app: RegisteredApp): boolean =>
  app.mode !== "off" && (app.group === "valid" || (app.group === "policy_mismatch" && app.mode === "full"));

function MainButton({ app, busy, onAct }: { app: RegisteredApp; busy: AppAction | undefined; onAct: (act: AppAction) => void }) {
  const act: AppAction = busy ?? (app.running ? "stop" : "launch");
  const isIdle = act === "launch" && !busy && !canTryLaunch(app);
  const text = act === "launch" ? t(busy ? "apps.launching" : "apps.launch") : t(busy ? "apps.stopping" : "apps.stop");
  return (
    <Button
      small
      busy={busy !== undefined}
      disabled={isIdle}
      {...(isIdle && { title: app.mode === "off" ? t("apps.offTitle") : t("apps.notUsableTitle") })}
      onClick={() => onAct(act)}
    >
      {text}
      <span class="sr"> {app.name}</span>
    </Button>
  );
}

function itemsOf(app: RegisteredApp, on: RowHandlers): MenuItem[] {
  const again: MenuItem[] = app.running && canTryLaunch(app) ? [{ text: t("apps.launchAgain"), onChoose: () => on.act("launch") }] : [];
  return [
    ...again,
    { text: t("apps.edit"), onChoose: on.edit },
    { text: t("apps.changePolicy"), onChoose: on.policy },
    { text: t("apps.delete"), danger: true, onChoose: on.remove },
  ];
}

function Running({ app }: { app: RegisteredApp }) {
  const [icon, text]: [IconName, string] =
    app.running === null
      ? ["help", t("apps.unknown")]
      : app.running
        ? ["disc", t("apps.running", { pids: app.pids.join(", ") })]
        : ["circle", t("apps.notRunning")];
  return (
    <span class={app.running ? "state-run on" : "state-run"}>
      <Icon name={icon} size="s" />
      {text}
    </span>
  );
}

function LastLaunched({ of: name, launches }: { of: string; launches: Launches | undefined }) {
  const last = launches?.byApp.get(name);
  if (last) {
    return (
      <>
        <Time at={last.at} />
        {last.agentId && <span class="by">{t("apps.by", { agent: nameOf(last.agentId) })}</span>}
      </>
    );
  }
  if (!launches) return <span>{t("apps.launchUnread")}</span>;
  return <span>{launches.isComplete ? t("apps.never") : t("apps.notLately")}</span>;
}
