// The agent's sessions: open, export by a command, delete after a confirmation.
import { useSignal } from "@preact/signals";
import type { AgentEntry, SessionEntry } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { Button, Command, Confirm, Empty, ErrorState, Link, Load, Table, Time } from "../../components";
import { agentName } from "../../state/agents";
import { useResource } from "../../state/resource";
import { showToast } from "../../state/toast";
import { number, t } from "../../words";
import { sessionName } from "../chat/sessions";
import { useChange } from "./use-change";

const PAGE = 20;
/** The gateway's limit of one list. */
const MOST = 1000;

export function Sessions({ agent }: { agent: AgentEntry }) {
  const limit = useSignal(PAGE);
  const pendingDeletion = useSignal<SessionEntry | undefined>(undefined);
  const change = useChange();
  const sessions = useResource(
    () => call("sessions.list", { agentId: agent.id, limit: Math.min(limit.value, MOST) }),
    { on: { "session.message": ({ sessionKey }) => sessionKey.startsWith(`agent:${agent.id}:`) } },
    [agent.id, limit.value],
  );
  const remove = async ({ key }: SessionEntry, session: string) => {
    const worked = await change.run(() => call("sessions.delete", { key }));
    pendingDeletion.value = undefined;
    if (!worked) return;
    showToast({ text: t("advanced.deleted", { session }) });
    await sessions.reload();
  };
  return (
    <section class="panel" aria-labelledby="sessions">
      <header>
        <h2 id="sessions">{t("advanced.sessions")}</h2>
      </header>
      <div class="in">
        {change.error && <ErrorState error={change.error} title={t("advanced.deleteNot")} />}
        <Load from={sessions}>
          {(answer) =>
            answer.sessions.length === 0 ? (
              <Empty icon="chat" title={t("advanced.sessionsNone", { name: agentName(agent) })}>
                {t("advanced.sessionsNoneWhy")}
              </Empty>
            ) : (
              <>
                <List agent={agent} sessions={answer.sessions} onDelete={(session) => (pendingDeletion.value = session)} />
                {answer.totalCount > answer.count && (
                  <div class="btns">
                    <Button small onClick={() => (limit.value = answer.count + PAGE)}>
                      {t("advanced.sessionsMore", { n: Math.min(PAGE, answer.totalCount - answer.count) })}
                    </Button>
                  </div>
                )}
                <p>{t("advanced.export")}</p>
                <Command text={`tarsus sessions export ${answer.sessions[0]?.key} --out session.jsonl`} />
              </>
            )
          }
        </Load>
      </div>
      {pendingDeletion.value && (
        <Deletion
          agent={agent}
          session={pendingDeletion.value}
          busy={change.busy}
          onYes={(session, name) => void remove(session, name)}
          onNo={() => (pendingDeletion.value = undefined)}
        />
      )}
    </section>
  );
}

type ListProps = { agent: AgentEntry; sessions: readonly SessionEntry[]; onDelete: (session: SessionEntry) => void };

function List({ agent, sessions, onDelete }: ListProps) {
  const heads = [t("advanced.session"), t("advanced.items"), t("advanced.updated"), { text: t("advanced.actions"), hidden: true as const }];
  return (
    <Table label={`${t("advanced.sessions")}: ${agentName(agent)}`} heads={heads} class="sessiontable">
      {sessions.map((session) => {
        const name = sessionName(session.key, session);
        return (
          <tr key={session.key}>
            <th scope="row">
              <b>{name}</b>
              <code>{session.key}</code>
            </th>
            <td class="num c-items" data-unit={t("advanced.items")}>
              {number(session.items)}
            </td>
            <td>
              <Time at={session.updatedAt} relative />
            </td>
            <td class="c-acts">
              <div class="acts">
                <Link to={{ view: "chat", session: session.key }} class="btn sm">
                  {t("advanced.open")}
                </Link>
                <Button small kind="danger" label={t("advanced.deleteOf", { session: name })} onClick={() => onDelete(session)}>
                  {t("advanced.delete")}
                </Button>
              </div>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

type DeletionProps = {
  agent: AgentEntry;
  session: SessionEntry;
  busy: boolean;
  onYes: (session: SessionEntry, name: string) => void;
  onNo: () => void;
};

function Deletion({ agent, session, busy, onYes, onNo }: DeletionProps) {
  const name = sessionName(session.key, session);
  return (
    <Confirm
      scope="agent"
      title={t("advanced.deleteTitle", { session: name })}
      effects={[
        { icon: "trash", text: t("advanced.deleteLost", { n: session.items }) },
        { icon: "check", text: t("advanced.deleteMemory", { name: agentName(agent) }) },
        { icon: "info", text: t("advanced.deleteRunning") },
      ]}
      yes={t("advanced.deleteYes")}
      danger
      busy={busy}
      onYes={() => onYes(session, name)}
      onNo={onNo}
    >
      <p class="hint">{t("advanced.export")}</p>
      <Command text={`tarsus sessions export ${session.key} --out session.jsonl`} />
    </Confirm>
  );
}
