// What will go with the next message: a button that chooses files, and the chosen ones with a way to take each back.
import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { hello } from "../../gateway/link";
import { Button, Icon } from "../../parts";
import { type Attached, type Refused, attach } from "../../state/chat/attach";
import { number, t } from "../../words";

type Chosen = { files: Signal<readonly Attached[]>; refused: Signal<readonly Refused[]> };

/** Adds files to a message, as far as this gateway takes them. */
export async function add(chosen: readonly File[], { files, refused }: Chosen): Promise<void> {
  const policy = hello.peek()?.policy.attachments;
  if (!policy || chosen.length === 0) return;
  const result = await attach(chosen, files.peek(), policy);
  files.value = [...files.peek(), ...result.attached];
  refused.value = result.refused;
}

export function AttachButton(chosen: Chosen) {
  const input = useRef<HTMLInputElement>(null);
  // A gateway that takes no files says nothing of them.
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
          void add([...(field.files ?? [])], chosen).finally(() => (field.value = ""));
        }}
      />
      <Button kind="quiet" small icon="attach" label={t("chat.attach")} title={t("chat.attach")} onClick={() => input.current?.click()} />
    </>
  );
}

export function AttachedFiles({ files, refused }: Chosen) {
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
