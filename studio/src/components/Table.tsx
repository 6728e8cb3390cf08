// A framed table; it scrolls sideways when it is too wide, also by keyboard.
import type { ComponentChildren } from "preact";

type TableProps = { label: string; heads: readonly (string | { text: string; hidden: true })[]; class?: string; children: ComponentChildren };

/** `children`: the rows, as `<tr>`. A hidden head is for screen readers only. */
export function Table({ label, heads, class: more, children }: TableProps) {
  return (
    <div class="tablewrap" tabIndex={0} role="region" aria-label={label}>
      <table class={more ? `table ${more}` : "table"}>
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th key={index} scope="col">
                {typeof head === "string" ? head : <span class="sr">{head.text}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
