// Attachments of the next message: a button to choose files, and the chosen ones with a remove button.
import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { hello } from "../../gateway/link";
import { Button, Icon } from "../../components";
import { type Attachment, type RefusedFile, readAttachments } from "../../state/chat/attachments";
import { number, t } from "../../words";

type AttachmentSignals = { files: Signal<readonly Attachment[]>; refused: Signal<readonly RefusedFile[]> };

/** Adds files, within the gateway's limits. */
export async function addFiles(chosen: readonly File[], { files, refused }: AttachmentSignals): Promise<void> {
  const policy = hello.peek()?.policy.attachments;
  if (!policy || chosen.length === 0) return;
  const result = await readAttachments(chosen, files.peek(), policy);
  files.value = [...files.peek(), ...result.attached];
  refused.value = result.refused;
}

export function AttachButton(chosen: AttachmentSignals) {
  const input = useRef<HTMLInputElement>(null);
  // A gateway without attachments sends no policy.
  if (!hello.value?.policy.attachments) return null;
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-attach
        onChange={(event) => {
          const field = event.currentTarget;
          void addFiles([...(field.files ?? [])], chosen).finally(() => (field.value = ""));
        }}
      />
      <Button kind="quiet" small icon="attach" label={t("chat.attach")} title={t("chat.attach")} onClick={() => input.current?.click()} />
    </>
  );
}

export function AttachedFiles({ files, refused }: AttachmentSignals) {
  return (
    <>
      {files.value.length > 0 && (
        <ul class="attached" aria-label={t("chat.attached")}>
          {files.value.map((file) => (
            <li key={`${file.name} ${file.size}`}>
              <Icon name={file.mimeType.startsWith("image/") ? "eye" : "file"} size="s" />
              <span class="cut" title={file.name}>
                {file.name}
              </span>
              <span class="quiet">{t("chat.kilobytes", { n: number(Math.ceil(file.size / 1024)) })}</span>
              <Button
                kind="quiet"
                small
                icon="x"
                label={t("chat.detach", { name: file.name })}
                onClick={() => {
                  files.value = files.peek().filter((one) => one !== file);
                  document.getElementById("msg")?.focus();
                }}
              />
            </li>
          ))}
        </ul>
      )}
      {refused.value.map(({ name, why }) => (
        <p key={name} class="meta bad" role="alert">
          <Icon name="warn" size="s" /> {t(`chat.refused_${why}`, { name })}
        </p>
      ))}
    </>
  );
}
