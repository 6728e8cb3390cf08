// The System setup view, of the whole gateway: what skills need on this machine, and how far they are trusted.
// An agent's skill access is decided in its own Skills view.
import { useMemo } from "preact/hooks";
import { call } from "../../gateway/calls";
import type { SkillRemoved } from "../../generated/protocol";
import { Banner, Button, Empty, ErrorState, GatewayBand, Load } from "../../components";
import { agents } from "../../state/agents";
import { type Config, config } from "../../state/config";
import { useResource } from "../../state/resource";
import { go } from "../../state/route";
import { loadGatewaySkills, linkedSkill, withAccess } from "../../state/skills/gateway-skills";
import { showToast } from "../../state/toast";
import { listed, t } from "../../words";
import { rich } from "../../words/rich";
import "../../styles/rows.css";
import "../../styles/setup.css";
import type { ViewProps } from "..";
import { Band } from "./Band";
import { List } from "./List";
import { Queue } from "./Queue";
import { Trash } from "./Trash";
import { useAction } from "./use-action";
import { Configure } from "./configure/Configure";
import { toSetup } from "./links";

export default function Setup({ agent, route }: ViewProps) {
  const list = agents.value.value;
  // Only a change of agents starts over: an open dialog survives every other change.
  const ids = list && [list.defaultId, ...list.agents.map(({ id }) => id)].join("\n");
  const every = useResource(
    async () => loadGatewaySkills(agents.value.peek() ?? (await call("agents.list", {})), (agentId) => call("skills.status", { agentId })),
    { on: { "skills.changed": true, "config.changed": true } },
    [ids],
  );
  const trash = useResource(() => call("skills.trash", {}), { on: { "skills.changed": true } }, []);
  const look = useAction();
  const lookAgain = () =>
    look.run(async () => {
      const { total } = await call("skills.refresh", {});
      await every.reload();
      showToast({ text: t("setup.checked", { n: total }) });
    });
  const reload = () => Promise.all([every.reload(), trash.reload()]);
  const undoing = useAction();
  const removed = ({ id, name, gone }: SkillRemoved) => {
    go(toSetup());
    const undo = () => undoing.run(() => call("skills.restore", { id }).then(reload));
    showToast({ text: t("setup.removed", { name }), undo, ...(gone.length > 0 && { detail: t("setup.removedGone", { names: listed(gone) }) }) });
    void reload();
  };
  const key = route.view === "settings" ? route.skill : undefined;
  const read = every.value.value;
  const settings = config.value.value;
  const known = useMemo(() => read && { ...read, skills: settings ? withAccess(read.skills, settings.config as Config) : read.skills }, [read, settings]);
  const opened = known && linkedSkill(known.skills, key, agent.id);
  if (!list) return <GatewayBand />;
  return (
    <>
      <Band list={list} path={known?.installsTo.path} />
      <div class="page">
        <header class="page-head">
          <div class="grow">
            <h1>{t("setup.title")}</h1>
            <p>{t("setup.lead")}</p>
          </div>
          <div class="btns">
            <Button icon="reset" busy={look.busy} onClick={() => void lookAgain()}>
              {t("setup.checkAgain")}
            </Button>
          </div>
        </header>
        {look.error && <ErrorState error={look.error} />}
        {undoing.error && <ErrorState error={undoing.error} title={t("setup.notTakenBack")} />}
        {key && known && !opened && <Banner kind="warn">{rich("setup.unknownSkill", { key: key.slice(0, 128) })}</Banner>}
        <Load from={every} loading={t("skills.reading")} failed={t("skills.notRead")}>
          {({ installsTo }) =>
            !known || known.skills.length === 0 ? (
              <Empty icon="star" title={t("skills.empty")}>
                {rich("skills.emptyNext", { path: `${installsTo.path}/skills` })}
              </Empty>
            ) : (
              <>
                <Queue skills={known.skills} />
                <List skills={known.skills} list={list} target={opened} />
              </>
            )
          }
        </Load>
        <Trash trash={trash} />
      </div>
      {opened && known && (
        <Configure
          key={opened.skill.filePath}
          entry={opened}
          list={list}
          installsTo={known.installsTo.path}
          reload={reload}
          undoing={undoing}
          onRemoved={removed}
          onClose={() => go(toSetup())}
        />
      )}
    </>
  );
}
