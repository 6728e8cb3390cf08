// The launch path, and how a running process is recognised.
import { useId } from "preact/hooks";
import { t } from "../../words";
import type { EntryFieldValues } from "./proposal";

type PathName = "launch_path" | "runtime_exe" | "process_name";

/** `first`: the dialog starts here. */
export function Paths({ draft, first, onChange }: { draft: EntryFieldValues; first: boolean; onChange: (more: Partial<EntryFieldValues>) => void }) {
  const field = (name: PathName, label: string, hint: string) => (
    <PathField
      {...{ label, name, hint }}
      value={draft[name]}
      first={first && name === "launch_path"}
      onInput={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <>
      {field("launch_path", t("apps.launchPath"), t("apps.launchPathHint"))}
      {field("runtime_exe", t("apps.runtimeExe"), t("apps.runtimeExeHint"))}
      {field("process_name", t("apps.processName"), t("apps.processNameHint"))}
    </>
  );
}

type FieldProps = { label: string; name: PathName; hint: string; value: string; first: boolean; onInput: (value: string) => void };

function PathField({ label, name, hint, value, first, onInput }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {label} <code class="quiet">{name}</code>
      </label>
      <input
        id={id}
        class="input mono"
        value={value}
        maxLength={4096}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={`${id}h`}
        {...(first && { "data-first": true })}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <p class="hint" id={`${id}h`}>
        {hint}
      </p>
    </div>
  );
}
