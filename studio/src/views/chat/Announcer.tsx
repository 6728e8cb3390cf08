// Announces answers and changed files to screen readers: each when it is finished, never single deltas.
import type { AgentEntry } from "../../generated/protocol";
import { agentName } from "../../state/agents";
import type { Conversation } from "../../state/chat/conversation";
import { t } from "../../words";
import { noAnswers } from "../../words/gateway/no-answer";
import { chineseFor, withChinese } from "../../words/gateway-text";

const MAX_ANNOUNCED = 600;

export function Announcer({ agent, conversation }: { agent: AgentEntry; conversation: Conversation }) {
  const ended = conversation.finished.value;
  const text = ended?.text.slice(0, MAX_ANNOUNCED).trim() ?? "";
  const changed = conversation.changes.latest.value;
  return (
    <>
      <p class="sr" role="status" data-announces>
        {ended?.state === "final" && text && t("chat.answered", { name: agentName(agent), text })}
        {ended?.state === "aborted" && t("chat.stopped")}
        {ended?.state === "error" && (
          <>
            {t("chat.failedRun")} {withChinese(chineseFor(noAnswers, ended.noAnswer), text)}
          </>
        )}
      </p>
      <p class="sr" role="status">
        {changed && t("changes.files", { n: changed.files.length })}
      </p>
    </>
  );
}
