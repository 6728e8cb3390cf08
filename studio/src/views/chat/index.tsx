// The chat with an agent, inside `<main class="chat">`: head, thread, composer.
import { useComputed } from "@preact/signals";
import { useCallback, useLayoutEffect, useMemo } from "preact/hooks";
import type { AgentEntry } from "../../generated/protocol";
import { ErrorState, Loading } from "../../components";
import { agents, mainSessionOf } from "../../state/agents";
import { Conversation } from "../../state/chat/conversation";
import { type Row, rowBuilder } from "../../state/chat/rows";
import { t } from "../../words";
import "../../styles/changes.css";
import "../../styles/chat.css";
import "../../styles/chat-markdown.css";
import type { ViewProps } from "..";
import { Announcer } from "./Announcer";
import { Approvals } from "./Approvals";
import { EmptySession } from "./EmptySession";
import { Composer } from "./Composer";
import { ChatHead } from "./ChatHead";
import { ChangesFailed } from "./Changes";
import { RowView } from "./Rows";
import { Thread } from "./Thread";
import { AskUndo } from "./UndoDialog";
import { useModels } from "./models";

export default function Chat({ agent, route }: ViewProps) {
  const main = mainSessionOf(agent.id, agents.value.value?.mainKey ?? "main");
  const key = sessionOf(route.view === "chat" ? route.session : undefined, agent.id) ?? main;
  return <Session key={key} agent={agent} sessionKey={key} />;
}

/** The session key in the address; one of another, missing agent is ignored. */
function sessionOf(asked: string | undefined, agentId: string): string | undefined {
  if (asked === undefined || asked.startsWith(`agent:${agentId}:`)) return asked;
  return asked.startsWith("agent:") ? undefined : `agent:${agentId}:${asked}`;
}

function Session({ agent, sessionKey }: { agent: AgentEntry; sessionKey: string }) {
  const conversation = useMemo(() => new Conversation(sessionKey), []);
  // An effect after the paint may never run for an unmounted component, and the conversation would stay open.
  useLayoutEffect(() => () => conversation.close(), []);
  const models = useModels();
  return (
    <>
      <ChatHead agent={agent} conversation={conversation} />
      <Stage agent={agent} conversation={conversation} models={models} />
      <Composer agent={agent} conversation={conversation} models={models} />
      <Announcer agent={agent} conversation={conversation} />
      <AskUndo changed={conversation.changes} />
    </>
  );
}

type StageProps = { agent: AgentEntry; conversation: Conversation; models: ReturnType<typeof useModels> };

function Stage({ agent, conversation, models }: StageProps) {
  const build = useMemo(rowBuilder, []);
  const rows = useComputed(() => build(conversation.state.value, conversation.changes.runs.value));
  const draw = useCallback((row: Row) => <RowView row={row} agent={agent} conversation={conversation} />, [agent, conversation]);
  const isLoaded = useComputed(() => conversation.state.value.isLoaded);
  const failed = conversation.failed.value;
  const problem = failed && (
    <div class="above">
      <ErrorState error={failed} title={t("chat.readFailed")} onRetry={() => void conversation.read()} />
    </div>
  );
  if (rows.value.length === 0) {
    return (
      <div class="stage" data-region="conversation" tabIndex={-1}>
        <div class="scroll">
          {problem}
          {!problem && !isLoaded.value && (
            <div class="above">
              <Loading text={t("chat.reading")} rows={0} />
            </div>
          )}
          {!problem && isLoaded.value && <EmptySession agent={agent} models={models} conversation={conversation} />}
        </div>
      </div>
    );
  }
  const above = (
    <>
      {problem}
      {conversation.isReadingOlder.value && (
        <p class="above meta" role="status">
          {t("chat.older")}
        </p>
      )}
    </>
  );
  return (
    <div class="stage-box">
      <Thread rows={rows.value} draw={draw} above={above} onTop={() => void conversation.readOlder()} />
      <ChangesFailed list={conversation.changes.list} />
      <Approvals agent={agent} sessionKey={conversation.key} />
    </div>
  );
}
