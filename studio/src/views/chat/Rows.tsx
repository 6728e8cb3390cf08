// One row of the conversation: user message, answer with its calls, changed files, remark, streaming answer, or unsent
// message.
import type { ComponentChildren } from "preact";
import type { AgentEntry, Block } from "../../generated/protocol";
import { link } from "../../gateway/link";
import { Avatar, Banner, Button, Icon } from "../../components";
import { agentName } from "../../state/agents";
import type { Conversation } from "../../state/chat/conversation";
import { splitMenu } from "../../state/chat/menu";
import type { Row } from "../../state/chat/rows";
import { type OutgoingMessage, textOf } from "../../state/chat/transcript";
import { t } from "../../words";
import { noAnswers } from "../../words/gateway/no-answer";
import { remarks } from "../../words/gateway/remarks";
import { chineseFor, gatewayText, callErrorText, withChinese } from "../../words/gateway-text";
import { Changes } from "./Changes";
import { Markdown } from "./Markdown";
import { MenuCard } from "./MenuCard";
import { Picture } from "./Picture";
import { ToolCard } from "./ToolCard";

export type RowProps = { row: Row; agent: AgentEntry; conversation: Conversation };

export function RowView({ row, agent, conversation }: RowProps) {
  switch (row.kind) {
    case "user":
      return <UserMessage content={<Content item={row.item} />} note={row.isWaiting && <Note icon="pause">{t("chat.waiting")}</Note>} />;
    case "outgoing":
      return <OutgoingMessage outgoing={row.outgoing} conversation={conversation} />;
    case "answer":
      return <Answer row={row} agent={agent} conversation={conversation} />;
    case "changes":
      return <Changes run={row.changes} changed={conversation.changes} />;
    case "live":
      return <StreamingAnswer row={row} agent={agent} />;
    case "remark":
      return <Remark row={row} conversation={conversation} />;
    case "failure":
      return <Failure title={t("chat.failedRun")} reason={withChinese(chineseFor(noAnswers, row.noAnswer), row.reason)} retry={row.retry} conversation={conversation} />;
  }
}

function UserMessage({ content, note }: { content: ComponentChildren; note?: ComponentChildren }) {
  return (
    <article class="msg me" aria-label={t("chat.you")}>
      <div class="body">{content}</div>
      {note}
    </article>
  );
}

const Note = ({ icon, children }: { icon: "pause" | "unplug"; children: ComponentChildren }) => (
  <p class="meta">
    <Icon name={icon} size="s" /> {children}
  </p>
);

function OutgoingMessage({ outgoing, conversation }: { outgoing: OutgoingMessage; conversation: Conversation }) {
  const isAway = link.value.state !== "ready";
  const note =
    outgoing.state === "refused" ? (
      <div class="meta refused" role="alert">
        <Icon name="warn" size="s" />
        <span>
          {t("chat.refused")} {callErrorText({ message: outgoing.reason ?? "", code: outgoing.code })}
        </span>
        <Button kind="link" onClick={() => conversation.resend(outgoing.key)}>
          {t("shared.tryAgain")}
        </Button>
        <Button kind="link" onClick={() => conversation.withdraw(outgoing.key)}>
          {t("chat.discard")}
        </Button>
      </div>
    ) : isAway ? (
      <Note icon="unplug">{t("chat.notSent")}</Note>
    ) : (
      outgoing.state === "sending" && <p class="meta">{t("chat.sending")}</p>
    );
  const content = (
    <>
      {outgoing.text && <p class="plain">{outgoing.text}</p>}
      {outgoing.files?.map((file) => <FileName key={file.name} name={file.name} />)}
    </>
  );
  return <UserMessage content={content} note={note} />;
}

/** A user message as typed, with its attachments. */
function Content({ item }: { item: (Row & { kind: "user" })["item"] }) {
  return (
    <>
      {item.content.map((block, index) => (
        <ContentBlock key={index} block={block} />
      ))}
    </>
  );
}

function ContentBlock({ block }: { block: Block }) {
  if (block.type === "image" && "data" in block) return <Picture {...block} />;
  if (block.type === "file" && "fileName" in block && typeof block.fileName === "string") return <FileName name={block.fileName} />;
  if (block.type === "text" && "text" in block) return block.text ? <p class="plain">{block.text}</p> : null;
  return <p class="meta">{t("chat.notShown", { type: block.type.slice(0, 40) })}</p>;
}

const FileName = ({ name }: { name: string }) => (
  <p class="meta">
    <Icon name="attach" size="s" /> {name}
  </p>
);

function Answer({ row, agent, conversation }: { row: Row & { kind: "answer" } } & Omit<RowProps, "row">) {
  const isTool = row.item.role === "toolResult";
  const hasHiddenResults = conversation.info.value?.entry?.verboseLevel === "on";
  const { menu, text } = isTool ? { text: "" } : splitMenu(row.item.content);
  const thoughts = isTool ? "" : row.item.content.map((block) => ("thinking" in block && block.type === "thinking" ? block.thinking : "")).join("\n").trim();
  return (
    <article class={row.isFirst ? "msg" : "msg more"} aria-label={agentName(agent)}>
      {row.isFirst ? <Avatar agent={agent} /> : <span />}
      <div class="body">
        {text && <Markdown text={text} />}
        {menu && <MenuCard menu={menu} isLast={row.isLast} onSay={(reply) => conversation.send(reply)} />}
        {thoughts && <Reasoning text={thoughts} />}
        {row.calls.map((call) => (
          <ToolCard key={call.key} call={call} hasHiddenResult={hasHiddenResults} />
        ))}
      </div>
    </article>
  );
}

function StreamingAnswer({ row: { run, isFirst }, agent }: { row: Row & { kind: "live" }; agent: AgentEntry }) {
  return (
    <article class={isFirst ? "msg" : "msg more"} aria-label={agentName(agent)} aria-busy="true">
      {isFirst ? <Avatar agent={agent} /> : <span />}
      <div class="body">
        {run.thinking && <Reasoning text={run.thinking} title={run.text ? undefined : t("chat.thinkingNow")} />}
        {run.retry && !run.text && <p class="meta">{t("chat.retrying")}</p>}
        {run.text ? (
          <Markdown text={run.text} caret />
        ) : (
          <p class="prog muted">
            <span class="spin" aria-hidden="true" />
            {t("chat.workingNow", { name: agentName(agent) })}
          </p>
        )}
      </div>
    </article>
  );
}

function Reasoning({ text, title }: { text: string; title?: string | undefined }) {
  return (
    <details class="tool thoughts">
      <summary>
        <Icon name="right" size="s" class="chev" />
        <Icon name="spark" />
        <span>{title ?? t("chat.thought")}</span>
      </summary>
      <div class="inside">
        <p class="plain muted">{text}</p>
      </div>
    </details>
  );
}

function Remark({ row, conversation }: { row: Row & { kind: "remark" }; conversation: Conversation }) {
  const text = textOf(row.item.content);
  const chinese = chineseFor(remarks, row.customType);
  if (row.customType === "run-failed-before-reply") {
    const why = row.item.role === "custom" ? row.item.noAnswer : undefined;
    return <Failure title={t("chat.failedRun")} reason={withChinese(chineseFor(noAnswers, why), text)} retry={row.retry} conversation={conversation} />;
  }
  if (row.customType === "run-interrupted") return <Failure title={t("chat.interrupted")} reason={chinese ?? gatewayText(text)} retry={row.retry} conversation={conversation} isMild />;
  return (
    <details class="tool remark">
      <summary>
        <Icon name="right" size="s" class="chev" />
        <Icon name="info" />
        <span>{row.customType === "compaction" ? t("chat.compacted") : t("chat.remark")}</span>
      </summary>
      <div class="inside">
        <p class="plain muted">{chinese ?? text}</p>
      </div>
    </details>
  );
}

type FailureProps = { title: string; reason: ComponentChildren; retry: string | undefined; conversation: Conversation; isMild?: boolean };

function Failure({ title, reason, retry, conversation, isMild }: FailureProps) {
  return (
    <Banner
      kind={isMild ? "warn" : "bad"}
      action={
        retry && (
          <Button small icon="reset" onClick={() => conversation.send(retry)}>
            {t("shared.tryAgain")}
          </Button>
        )
      }
    >
      <b>{title}</b> {reason}
    </Banner>
  );
}
