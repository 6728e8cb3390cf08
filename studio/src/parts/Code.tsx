// A command or a piece of code with a button that copies it. It wraps and is never shortened.
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
  const [said, say] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const copy = async () => {
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    say(copied ? t("shared.copied") : t("shared.copyNot"));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => say(""), 2000);
  };
  return (
    <span class="copy">
      <Button
        kind="quiet"
        small
        icon={said === t("shared.copied") ? "check" : "copy"}
        label={label ?? t("shared.copy")}
        title={said || label || t("shared.copy")}
        onClick={() => void copy()}
      />
      <span class="sr" role="status">
        {said}
      </span>
    </span>
  );
}
