// The loading state: a sentence, and placeholder rows.
import { t } from "../words";

export function Loading({ text, rows = 4 }: { text?: string; rows?: number }) {
  return (
    <div class="stack" aria-busy="true">
      <p class="prog muted" role="status">
        <span class="spin" aria-hidden="true" />
        {text ?? t("shared.loading")}
      </p>
      {rows > 0 && (
        <ul class="mini" aria-hidden="true">
          {Array.from({ length: rows }, (_, index) => (
            <li key={index}>
              <span class="skel w1" />
              <span class="two">
                <span class="skel w3" />
                <span class="skel w8" />
              </span>
              <span />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
