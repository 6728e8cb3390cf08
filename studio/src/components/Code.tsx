// A command or code with a copy button. It wraps and is never truncated.
import { useRef, useState } from "preact/hooks";
import { t } from "../words";
import { Button } from "./Button";

export function Command({ text, label }: { text: string; label?: string }) {
  return (
    <div class="cmd">
      <code>{text}</code>
      <CopyButton text={text} {...(label && { label })} />
    </div>
  );
}

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [status, setStatus] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const copy = async () => {
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    setStatus(copied ? t("shared.copied") : t("shared.copyNot"));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setStatus(""), 2000);
  };
  return (
    <span class="copy">
      <Button
        kind="quiet"
        small
        icon={status === t("shared.copied") ? "check" : "copy"}
        label={label ?? t("shared.copy")}
        title={status || label || t("shared.copy")}
        onClick={() => void copy()}
      />
      <span class="sr" role="status">
        {status}
      </span>
    </span>
  );
}
