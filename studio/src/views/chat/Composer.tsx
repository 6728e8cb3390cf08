// The message field. Enter sends, Shift Enter inserts a line break, Esc stops the turn and keeps the text.
// The draft survives a reload, by session; a message sent without a connection is delivered later.
import { useComputed, useSignal } from "@preact/signals";
import type { TargetedEvent, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { AgentEntry } from "../../generated/protocol";
import { type CallError, asCallError } from "../../gateway/failure";
import { link } from "../../gateway/link";
import { Button, Icon } from "../../components";
import { agentName } from "../../state/agents";
import type { Attachment, RefusedFile } from "../../state/chat/attachments";
import type { Conversation } from "../../state/chat/conversation";
import { saveDraft, loadDraft } from "../../state/chat/storage";
import { t } from "../../words";
import { callErrorText } from "../../words/gateway-text";
import { AttachButton, AttachedFiles, addFiles } from "./Attachments";
import type { Models } from "./models";
import { Pickers } from "./Pickers";
import { Usage } from "./Usage";

export function Composer({ agent, conversation, models }: { agent: AgentEntry; conversation: Conversation; models: Models }) {
  const text = useSignal(loadDraft(conversation.key));
  const problem = useSignal<CallError | undefined>(undefined);
  const files = useSignal<readonly Attachment[]>([]);
  const refused = useSignal<readonly RefusedFile[]>([]);
  const name = agentName(agent);
  const isAway = link.value.state !== "ready";
  // Renders when this changes, not on every delta.
  const running = useComputed(() => conversation.state.value.runs.length > 0);
  const isRunning = running.value;

  const write = (value: string) => {
    text.value = value;
    saveDraft(conversation.key, value);
  };
  const send = () => {
    if (text.peek().trim() === "" && files.peek().length === 0) return;
    conversation.send(text.peek(), files.peek());
    write("");
    files.value = [];
    refused.value = [];
    keepFocus();
  };
  const stop = () => {
    problem.value = undefined;
    keepFocus();
    conversation.stop().catch((thrown: unknown) => (problem.value = asCallError(thrown)));
  };
  const pressed = (event: TargetedKeyboardEvent<HTMLElement>) => {
    // Enter also ends an input method's composition: that does not send.
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey && event.target instanceof HTMLTextAreaElement) {
      event.preventDefault();
      send();
    }
    if (event.key === "Escape" && isRunning) {
      event.stopPropagation();
      stop();
    }
  };

  return (
    <form
      class="composer"
      aria-label={t("chat.messageTo", { name })}
      data-region="composer"
      onKeyDown={pressed}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {isAway && (
        <p class="meta away">
          <Icon name="unplug" size="s" /> {t("chat.offline")}
        </p>
      )}
      {problem.value && (
        <p class="meta bad" role="alert">
          <Icon name="warn" size="s" /> {t("chat.stopFailed")} {callErrorText(problem.value)}
        </p>
      )}
      <div class="box">
        <label class="sr" for="msg">
          {t("chat.messageTo", { name })}
        </label>
        <Field value={text.value} placeholder={t("chat.messagePlaceholder", { name })} onInput={write} onFiles={(chosen) => void addFiles(chosen, { files, refused })} />
        <AttachedFiles files={files} refused={refused} />
        <div class="under">
          <AttachButton files={files} refused={refused} />
          <Pickers conversation={conversation} models={models} />
          <span class="grow" />
          {isRunning && (
            <Button small icon="stop" title={t("chat.escStops")} disabled={isAway} onClick={stop}>
              {t("chat.stop")}
            </Button>
          )}
          <Button kind="primary" small icon="send" type="submit" disabled={text.value.trim() === "" && files.value.length === 0}>
            {t("chat.send")}
          </Button>
        </div>
      </div>
      <Usage conversation={conversation} models={models} />
    </form>
  );
}

/** If a focused button disappears, focus moves to the field. */
function keepFocus(): void {
  if (document.activeElement instanceof HTMLButtonElement) document.getElementById("msg")?.focus();
}

type FieldProps = { value: string; placeholder: string; onInput: (text: string) => void; onFiles: (files: File[]) => void };

/** A text field that grows with its text, up to a third of the window. */
function Field({ value, placeholder, onInput, onFiles }: FieldProps) {
  const ref = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const field = ref.current;
    if (!field) return;
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight, Math.round(window.innerHeight / 3))}px`;
  }, [value]);
  return (
    <textarea
      ref={ref}
      id="msg"
      rows={1}
      data-region-focus
      placeholder={placeholder}
      value={value}
      onPaste={(event) => {
        const pasted = [...(event.clipboardData?.files ?? [])];
        if (pasted.length === 0) return;
        event.preventDefault();
        onFiles(pasted);
      }}
      onInput={(event: TargetedEvent<HTMLTextAreaElement>) => onInput(event.currentTarget.value)}
    />
  );
}
