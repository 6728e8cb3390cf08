// What a screen reader hears of the conversation: each answer once it is finished, never its single words.
import type { AgentEntry } from "../../generated/protocol";
import { agentName } from "../../state/agents";
import type { Conversation } from "../../state/chat/conversation";
import { t } from "../../words";
import { noAnswers } from "../../words/gateway/no-answer";
import { chineseFor, toldAs } from "../../words/told";

const HEARD = 600;

export function Announcer({ agent, conversation }: { agent: AgentEntry; conversation: Conversation }) {
  const ended = conversation.ended.value;
  const text = ended?.text.slice(0, HEARD).trim() ?? "";
  return (
    <p class="sr" role="status" data-announces>
      {ended?.state === "final" && text && t("chat.answered", { name: agentName(agent), text })}
      {ended?.state === "aborted" && t("chat.stopped")}
      {ended?.state === "error" && (
        <>
          {t("chat.failedRun")} {toldAs(chineseFor(noAnswers, ended.noAnswer), text)}
        </>
      )}
    </p>
  );
}
