// The head of the chat: the session, a new session, and reset.
import { useSignal } from "@preact/signals";
import type { AgentEntry } from "../../generated/protocol";
import { type CallError, asCallError } from "../../gateway/failure";
import { Avatar, Banner, Button, Confirm, Icon, Link } from "../../components";
import { agentName } from "../../state/agents";
import type { Conversation } from "../../state/chat/conversation";
import { everyMinute } from "../../state/now";
import { go, settings } from "../../state/route";
import { showToast } from "../../state/toast";
import { moment, t } from "../../words";
import { callErrorText } from "../../words/gateway-text";
import { newSessionKey, sessionName } from "./sessions";

export function ChatHead({ agent, conversation }: { agent: AgentEntry; conversation: Conversation }) {
  const asks = useSignal(false);
  const name = agentName(agent);
  const entry = conversation.info.value?.entry;
  return (
    <header class="chat-head">
      <Avatar agent={agent} size="lg" />
      <div class="grow">
        <h1 class="cut">{sessionName(conversation.key, entry)}</h1>
        <p class="sub cut">{entry ? t("chat.started", { name, time: moment(entry.createdAt, everyMinute.value) }) : t("chat.notStarted", { name })}</p>
      </div>
      <Button kind="quiet" small icon="plus" onClick={() => startNew(agent)}>
        <span class="lbl">{t("chat.newChat")}</span>
      </Button>
      <Button kind="quiet" small icon="reset" onClick={() => (asks.value = true)}>
        <span class="lbl">{t("chat.reset")}</span>
      </Button>
      <Link to={settings("skills", { agentId: agent.id })} class="btn quiet icon sm" label={t("shared.settingsOf", { name })}>
        <Icon name="gear" />
      </Link>
      {asks.value && <ConfirmReset name={name} conversation={conversation} onDone={() => (asks.value = false)} />}
    </header>
  );
}

function startNew(agent: AgentEntry): void {
  go({ view: "chat", session: newSessionKey(agent.id, new Date()) });
  // By then the new composer is rendered, and keys go to it instead of the button.
  queueMicrotask(() => document.getElementById("msg")?.focus());
}

function ConfirmReset({ name, conversation, onDone }: { name: string; conversation: Conversation; onDone: () => void }) {
  const busy = useSignal(false);
  const problem = useSignal<CallError | undefined>(undefined);
  const isRunning = conversation.state.value.runs.length > 0;
  const reset = async () => {
    busy.value = true;
    try {
      await conversation.reset();
      showToast({ text: t("chat.wasReset") });
      onDone();
    } catch (thrown) {
      problem.value = asCallError(thrown);
      busy.value = false;
    }
  };
  return (
    <Confirm
      scope="agent"
      title={t("chat.resetTitle")}
      effects={[
        { icon: "info", text: t("chat.resetKept", { name }) },
        { icon: "reset", text: t("chat.resetEmpty") },
        ...(isRunning ? [{ icon: "stop" as const, text: t("chat.resetRunning") }] : []),
      ]}
      yes={t("chat.resetYes")}
      busy={busy.value}
      onYes={() => void reset()}
      onNo={onDone}
    >
      {problem.value && (
        <Banner kind="bad" alert>
          <b>{t("chat.resetFailed")}</b> {callErrorText(problem.value)}
        </Banner>
      )}
    </Confirm>
  );
}
