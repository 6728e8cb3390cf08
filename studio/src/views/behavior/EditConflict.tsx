// The file was changed elsewhere during an edit: shows both texts and asks which one to keep.
import { useState } from "preact/hooks";
import { Banner, Button } from "../../components";
import { t } from "../../words";
import type { FileName } from "./files";
import type { OpenFile } from "./use-file";

export function EditConflict({ name, file, other }: { name: FileName; file: OpenFile; other: string | null }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="clash">
      <Banner kind="warn" alert>
        <b>{other === null ? t("behavior.otherGone", { file: name }) : t("behavior.otherTitle", { file: name })}</b> {t("behavior.otherNext")}
      </Banner>
      <div class="btns">
        {other !== null && (
          <Button small icon={isOpen ? "up" : "eye"} expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? t("behavior.hideOther") : t("behavior.showOther")}
          </Button>
        )}
        <Button small onClick={file.revert}>
          {t("behavior.takeOther")}
        </Button>
        <Button small kind="danger" apart busy={file.busy} onClick={() => void file.overwrite()}>
          {t("behavior.overwrite")}
        </Button>
      </div>
      {isOpen && other !== null && (
        <pre class="term othertext" tabIndex={0} role="region" aria-label={t("behavior.other", { file: name })}>
          {other}
        </pre>
      )}
    </div>
  );
}
