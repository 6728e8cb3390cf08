// An empty session: whom it is with, ways to begin, and what to do without a model.
import type { AgentEntry } from "../../generated/protocol";
import { Banner, Button, Empty } from "../../components";
import { agentName } from "../../state/agents";
import type { Conversation } from "../../state/chat/conversation";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { hasModel } from "./Pickers";
import type { Models } from "./models";

export function EmptySession({ agent, models, conversation }: { agent: AgentEntry; models: Models; conversation: Conversation }) {
  const starts = [t("chat.startApps"), t("chat.startHelp"), t("chat.startStatus")];
  return (
    <div class="beginning">
      {!hasModel(models, conversation) && (
        <Banner kind="info">
          <b>{t("chat.noModelTitle")}</b> {rich("chat.noModelText")}
        </Banner>
      )}
      <Empty
        icon="chat"
        title={t("chat.emptyTitle", { name: agentName(agent) })}
        actions={starts.map((text) => (
          <Button
            key={text}
            onClick={(event) => {
              conversation.send(text);
              // A button pressed by keyboard would take focus along when it disappears.
              if (event.detail === 0) document.getElementById("msg")?.focus();
            }}
          >
            {text}
          </Button>
        ))}
      >
        {t("chat.emptyText")}
      </Empty>
    </div>
  );
}
