// A session in which nothing was said yet: whom it is with, and a few ways to begin; what to do when no model answers.
import type { AgentEntry } from "../../generated/protocol";
import { Banner, Button, Empty } from "../../parts";
import { agentName } from "../../state/agents";
import type { Conversation } from "../../state/chat/conversation";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { hasModel } from "./Pickers";
import type { Models } from "./models";

export function Beginning({ agent, models, conversation }: { agent: AgentEntry; models: Models; conversation: Conversation }) {
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
              conversation.say(text);
              // Pressed by key, the button takes the focus with it when it goes.
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
