// A section of the dialog: a label with a small line on the left, the content on the right.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Icon, type IconName } from "../../../components";

type SectionProps = { icon: IconName; title: ComponentChildren; small?: string | undefined; children: ComponentChildren };

export function Section({ icon, title, small, children }: SectionProps) {
  const id = useId();
  return (
    <section class="sect" aria-labelledby={id}>
      <h3 id={id}>
        <Icon name={icon} />
        <span>
          {title}
          {small && <small>{small}</small>}
        </span>
      </h3>
      <div>{children}</div>
    </section>
  );
}
