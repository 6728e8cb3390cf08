// The left column of the chat: agents with their activity, and the sessions of the open one.
import type { AgentEntry, SessionEntry } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { Avatar, Icon, Link, Time } from "../../components";
import { agentName, agents, mainSessionOf } from "../../state/agents";
import { workingSince } from "../../state/chat/activity";
import { approvals } from "../../state/chat/approvals";
import { everySecond } from "../../state/now";
import { useResource } from "../../state/resource";
import { go, settings } from "../../state/route";
import { locale, t } from "../../words";
import { sessionName } from "../chat/sessions";
import { NewAgentButton } from "./NewAgent";

export { sessionName };

type NavProps = { agent: AgentEntry; session: string | undefined; onFollow: () => void };

const SHOWN = 100;

export function ChatNav({ agent, session, onFollow }: NavProps) {
  const sessions = useResource(
    () => call("sessions.list", { agentId: agent.id, limit: SHOWN }),
    { on: { "session.message": ({ sessionKey }) => sessionKey.startsWith(`agent:${agent.id}:`) } },
    [agent.id],
  );
  const list = agents.value.value;
  const main = mainSessionOf(agent.id, list?.mainKey ?? "main");
  return (
    <>
      <div class="side-head">
        <h2 class="grow">{t("shared.agents")}</h2>
        <NewAgentButton />
      </div>
      <ul class="agents">
        {list?.agents.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              class="agent-row"
              aria-expanded={one.id === agent.id}
              onClick={() => {
                go({ view: "chat", session: mainSessionOf(one.id, list.mainKey) });
              }}
            >
              <Avatar agent={one} />
              <span class="who">
                <b class="cut" title={agentName(one)}>
                  {agentName(one)}
                </b>
                <AgentActivity agentId={one.id} />
              </span>
              <Icon name={one.id === agent.id ? "down" : "right"} size="s" />
            </button>
            {one.id === agent.id && <Sessions name={agentName(one)} of={sessions.value.value?.sessions ?? []} main={main} session={session ?? main} onFollow={onFollow} />}
          </li>
        ))}
      </ul>
      <p class="side-foot">
        <Link to={settings("skills", { agentId: agent.id })} class="btn quiet sm" onFollow={onFollow}>
          <Icon name="gear" />
          {t("shared.settingsOf", { name: agentName(agent) })}
        </Link>
      </p>
    </>
  );
}

function AgentActivity({ agentId }: { agentId: string }) {
  const since = workingSince(agentId);
  if (approvals.value.some((one) => one.request.agentId === agentId)) {
    return (
      <span class="ask">
        <Icon name="warn" size="s" />
        {t("chat.needsApproval")}
      </span>
    );
  }
  if (since === undefined) {
    return (
      <span>
        <Icon name="circle" size="s" />
        {t("chat.idle")}
      </span>
    );
  }
  return (
    <span class="run">
      <Icon name="play" size="s" />
      <WorkingFor since={since} />
    </span>
  );
}

function WorkingFor({ since }: { since: number }) {
  const seconds = Math.max(0, Math.floor((everySecond.value - since) / 1000));
  if (seconds < 1) return <>{t("chat.working")}</>;
  const [value, unit] = seconds < 60 ? [seconds, "second"] : seconds < 3600 ? [Math.floor(seconds / 60), "minute"] : [Math.floor(seconds / 3600), "hour"];
  const time = new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: "short" }).format(value);
  return <>{t("chat.workingFor", { time })}</>;
}

type SessionsProps = { name: string; of: readonly SessionEntry[]; main: string; session: string; onFollow: () => void };

function Sessions({ name, of, main, session, onFollow }: SessionsProps) {
  const keys = new Map(of.map((entry) => [entry.key, entry]));
  // The main session and the open one can always be opened: they begin with the first message.
  const missing = [main, session].filter((key, index, all) => !keys.has(key) && all.indexOf(key) === index);
  return (
    <ul class="sessions" aria-label={t("chat.sessionsOf", { name })}>
      {[...missing, ...keys.keys()].map((key) => (
        <li key={key}>
          <Link to={{ view: "chat", session: key }} class="sess" current={key === session && "true"} onFollow={onFollow}>
            <span class="cut" title={sessionName(key, keys.get(key))}>
              {sessionName(key, keys.get(key))}
            </span>
            {keys.has(key) && <Time at={keys.get(key)?.updatedAt ?? 0} />}
          </Link>
        </li>
      ))}
    </ul>
  );
}
