// A box in the middle of the page: title, facts, what to do.
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../../components";

type ScreenProps = { icon?: IconName; title: string; busy?: boolean; children: ComponentChildren };

export function Screen({ icon, title, busy, children }: ScreenProps) {
  return (
    <section class="askbox" aria-labelledby="screen" aria-busy={busy ? "true" : undefined}>
      <header>
        {busy ? <span class="spin" aria-hidden="true" /> : icon && <Icon name={icon} size="l" />}
        <h1 id="screen">{title}</h1>
      </header>
      {children}
    </section>
  );
}
