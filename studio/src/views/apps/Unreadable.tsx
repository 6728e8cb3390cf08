// An unreadable registry: the error, the file with line and column, and what to do.
import { type CallError, textAt } from "../../gateway/failure";
import { ErrorState } from "../../components";
import { t } from "../../words";
import { gatewayText, asSentence } from "../../words/gateway-text";

export function Unreadable({ error, busy, onRetry }: { error: CallError; busy: boolean; onRetry: () => void }) {
  const place = placeOf(error.details);
  const hint = textAt(error.details, "hint");
  return (
    <div class="stack">
      <ErrorState error={error} title={t("apps.unreadable")} busy={busy} onRetry={onRetry} />
      {place && (
        <p>
          <code>{place}</code>
        </p>
      )}
      {hint && (
        <p class="muted">
          {gatewayText(asSentence(hint))} {t("apps.unreadableMore")}
        </p>
      )}
    </div>
  );
}

/** `file:line:column`, as far as known. */
export function placeOf(details: unknown): string | undefined {
  const location = (details as { location?: unknown } | undefined | null)?.location;
  const path = textAt(location, "path");
  if (!path) return undefined;
  const { line, column } = location as { line?: unknown; column?: unknown };
  return [path, line, column].filter((part) => typeof part === "string" || typeof part === "number").join(":");
}
