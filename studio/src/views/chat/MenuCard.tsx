// A page of the Application Manager, with a button per reply. Buttons of an older page are disabled: its numbers may mean
// something else by now.
import type { ComponentChildren, TargetedMouseEvent } from "preact";
import type { MenuChoice } from "../../generated/protocol";
import { type Menu, isExit, isNumber } from "../../state/chat/menu";
import { withCode } from "../../words/rich";

type CardProps = { menu: Menu; isLast: boolean; onSay: (text: string) => void };
type Press = (reply: string) => (event: TargetedMouseEvent<HTMLButtonElement>) => void;

export function MenuCard({ menu, isLast, onSay }: CardProps) {
  const press: Press = (reply) => (event) => {
    onSay(reply);
    // A button pressed by keyboard loses focus when it is disabled: move to the message field.
    if (event.detail === 0) document.getElementById("msg")?.focus();
  };
  const numbers = menu.choices.filter(isNumber);
  const words = menu.choices.filter((choice) => !isNumber(choice));
  return (
    <>
      {menu.notices && menu.notices.length > 0 && <p class="notice-text">{withCode(menu.notices.join("\n"))}</p>}
      <section class="menu" aria-label={menu.title}>
        <div>
          <h2>{menu.title}</h2>
          {menu.lines.map((line, index) => (
            <p key={index} class="muted lines">
              {lineContent(line)}
            </p>
          ))}
        </div>
        <GroupHeading choices={numbers} />
        {numbers.length > 0 && (
          <div class="apps">
            {numbers.map((choice) => (
              <NumberButton key={choice.reply} choice={choice} isLast={isLast} press={press} />
            ))}
          </div>
        )}
        <GroupHeading choices={words} />
        <div class="words">
          {words.map((choice) => (
            <button
              key={choice.reply}
              type="button"
              class={isExit(choice) ? "btn quiet sm apart" : choice.reply === "yes" ? "btn primary sm" : "btn sm"}
              disabled={!isLast}
              onClick={press(choice.reply)}
            >
              {choice.label}
            </button>
          ))}
        </div>
        {menu.hints?.map((hint) => (
          <p key={hint} class="muted">
            {withCode(hint)}
          </p>
        ))}
      </section>
    </>
  );
}

function GroupHeading({ choices }: { choices: readonly MenuChoice[] }) {
  const heading = choices[0]?.group;
  return heading ? <h3>{heading}</h3> : null;
}

function NumberButton({ choice, isLast, press }: { choice: MenuChoice; isLast: boolean; press: Press }) {
  return (
    <button type="button" class="btn sm" disabled={!isLast} onClick={press(choice.reply)}>
      <span class="k">{choice.reply}.</span>
      <span class="cut">{choice.label}</span>
      {choice.badge && <span class="st">({choice.badge})</span>}
    </button>
  );
}

const WITH_PATH = /^(.{1,40}?[:：] ?)((?:\/|~|[A-Za-z]:\\).*)$/;

/** A line of the page; a path at its end is code. */
function lineContent(line: string): ComponentChildren {
  const [, before, path] = WITH_PATH.exec(line) ?? [];
  if (!before || !path) return withCode(line);
  return (
    <>
      {before}
      <code>{path}</code>
    </>
  );
}
