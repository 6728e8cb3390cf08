// The editor of one file: purpose, text, size, Save and Revert.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { AgentEntry, AgentFileAnswer } from "../../generated/protocol";
import { Button, Chip, Empty, ErrorState, Load } from "../../components";
import { number, t } from "../../words";
import { EditConflict } from "./EditConflict";
import { type FileName, facts } from "./files";
import { PROMPT_CHARACTERS, inField, sizeOf } from "./text";
import { UnsavedGuard } from "./UnsavedGuard";
import { type OpenFile, useFile } from "./use-file";

type EditorProps = { agent: AgentEntry; name: FileName; onFile: () => void };

export function Editor({ agent, name, onFile }: EditorProps) {
  const file = useFile(agent.id, name, onFile);
  useSaveKeys(file);
  return (
    <section class="editor" aria-labelledby="file-name" data-region="file">
      <header>
        <div class="top">
          <h2 id="file-name">{name}</h2>
          <Chip icon="spark">{t(facts[name].prompt)}</Chip>
          {file.draft && (
            <Chip kind="setup" icon="edit">
              {t("behavior.changed")}
            </Chip>
          )}
        </div>
        <p>{t(facts[name].what)}</p>
      </header>
      <Load from={file.from}>{(answer) => <Content name={name} file={file} answer={answer} />}</Load>
      <UnsavedGuard agent={agent} name={name} file={file} />
    </section>
  );
}

function Content({ name, file, answer }: { name: FileName; file: OpenFile; answer: AgentFileAnswer }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const create = useRef(false);
  const isOpen = file.draft !== undefined || !answer.file.missing;
  // A layout effect: what is typed next goes into the new file.
  useLayoutEffect(() => {
    if (isOpen && create.current) field.current?.focus();
    create.current = false;
  }, [isOpen]);
  if (!isOpen) {
    const begin = () => {
      create.current = true;
      file.create();
    };
    return (
      <Empty
        icon="file"
        title={t("behavior.isMissing", { file: name })}
        actions={
          <Button kind="primary" icon="plus" onClick={begin}>
            {t("behavior.create", { file: name })}
          </Button>
        }
      >
        {name === "BOOTSTRAP.md" ? t("behavior.isMissingBootstrap") : t("behavior.isMissingWhy")}
      </Empty>
    );
  }
  const text = file.draft?.text ?? answer.file.content ?? "";
  return (
    <>
      <div class="in">
        {file.error && <ErrorState error={file.error} title={t("behavior.notSaved", { file: name })} onRetry={() => void file.save()} busy={file.busy} />}
        {file.other && <EditConflict name={name} file={file} other={file.other.text} />}
        <textarea
          ref={field}
          aria-label={t("behavior.text", { file: name })}
          aria-describedby="file-size"
          aria-keyshortcuts="Control+S"
          spellcheck={false}
          value={inField(text)}
          onInput={(event) => file.type(event.currentTarget.value)}
          data-region-focus
        />
        <p class="path">{t("behavior.where", { path: answer.file.path })}</p>
      </div>
      <footer>
        <Sizes text={text} />
        <div class="grow" />
        <div class="btns">
          <Button disabled={!file.draft} onClick={file.revert}>
            {t("behavior.revert")}
          </Button>
          <Button kind="primary" disabled={!file.draft || !!file.other} busy={file.busy} title={t("behavior.saveKeys")} onClick={() => void file.save()}>
            {t("behavior.save")}
          </Button>
        </div>
      </footer>
    </>
  );
}

function Sizes({ text }: { text: string }) {
  const { lines, characters, bytes } = sizeOf(text);
  const counts = { characters: number(characters), most: number(PROMPT_CHARACTERS) };
  return (
    <p class="sizes" id="file-size">
      <span>{t("behavior.lines", { n: lines })}</span>
      <span>{t("behavior.bytes", { n: bytes })}</span>
      {characters > PROMPT_CHARACTERS ? (
        <span class="over">{t("behavior.tooLong", counts)}</span>
      ) : (
        <span>{t("behavior.room", counts)}</span>
      )}
    </p>
  );
}

/** Ctrl S saves, wherever focus is, instead of the browser's page save. */
function useSaveKeys(file: OpenFile): void {
  const now = useRef(file);
  now.current = file;
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      if (now.current.draft && !now.current.other) void now.current.save();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}
