// A screen of the Application Manager: the same words as its text, with every choice a button that sends that very word.
// An older one shows its choices without being pressed: its numbers may mean something else by now.
import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { type Choice, type Menu, leadsAway } from "../../state/chat/menu";
import { withCode } from "../../words/rich";

type CardProps = { menu: Menu; isLast: boolean; onSay: (text: string) => void };
type Press = (word: string) => (event: TargetedMouseEvent<HTMLButtonElement>) => void;

export function MenuCard({ menu, isLast, onSay }: CardProps) {
  const press: Press = (word) => (event) => {
    onSay(word);
    // A button that was pressed by key cannot keep the focus: the message field is next to what comes.
    if (event.detail === 0) document.getElementById("msg")?.focus();
  };
  return (
    <>
      {menu.said.length > 0 && <p class="said">{withCode(menu.said.join("\n"))}</p>}
      <section class="menu" aria-label={menu.title}>
        <div>
          <h2>{menu.title}</h2>
          {menu.lines.map((line, index) => (
            <p key={index} class="muted lines">
              {lineOf(line)}
            </p>
          ))}
        </div>
        {menu.heading && <h3>{menu.heading}</h3>}
        {menu.numbered.length > 0 && (
          <div class="apps">
            {menu.numbered.map((choice) => (
              <NumberButton key={choice.send} choice={choice} isLast={isLast} press={press} />
            ))}
          </div>
        )}
        {menu.commands && <h3>{menu.commands}</h3>}
        <div class="words">
          {menu.words.map((word) => (
            <button
              key={word}
              type="button"
              class={leadsAway(word) ? "btn quiet sm apart" : word === "yes" ? "btn primary sm" : "btn sm"}
              disabled={!isLast}
              onClick={press(word)}
            >
              {word}
            </button>
          ))}
        </div>
        {menu.hints.map((hint) => (
          <p key={hint} class="muted">
            {withCode(hint)}
          </p>
        ))}
      </section>
    </>
  );
}

function NumberButton({ choice, isLast, press }: { choice: Choice; isLast: boolean; press: Press }) {
  return (
    <button type="button" class="btn sm" disabled={!isLast} onClick={press(choice.send)}>
      <span class="k">{choice.send}.</span>
      <span class="cut">{choice.label}</span>
      {choice.state && <span class="st">({choice.state})</span>}
    </button>
  );
}

const WITH_PATH = /^(.{1,40}?[:：] ?)((?:\/|~|[A-Za-z]:\\).*)$/;

/** A line of the screen; a path at its end is code. */
function lineOf(line: string): ComponentChildren {
  const [, before, path] = WITH_PATH.exec(line) ?? [];
  if (!before || !path) return withCode(line);
  return (
    <>
      {before}
      <code>{path}</code>
    </>
  );
}
