// The variables of a skill: set or not set, never the value. A field is empty again as soon as it is saved.
import { useId, useRef, useState } from "preact/hooks";
import { call } from "../../../gateway/calls";
import { Button, Confirm, ErrorState, Icon } from "../../../parts";
import { type Config, config as configuration } from "../../../state/config";
import { type Variable, variablesOf } from "../../../state/skills/requirements";
import { listed, t } from "../../../words";
import { rich } from "../../../words/rich";
import { nameOf } from "../Band";
import { useAct } from "../act";
import type { SectionProps } from "./Configure";
import { Section } from "./Section";

type KeysProps = SectionProps & { config: Config | undefined };

export function Keys({ config, ...given }: KeysProps) {
  const variables = variablesOf(given.entry.skill, config);
  if (variables.length === 0) return null;
  const open = variables.filter(({ set }) => set === "no").length;
  return (
    <Section icon="key" title={t("setup.keys")} small={open > 0 ? t("setup.keysNotSet", { n: open }) : t("setup.keysSet")}>
      {variables.map((variable) => (
        <Key key={variable.name} variable={variable} {...given} />
      ))}
    </Section>
  );
}

function Key({ variable, entry, list, reload }: SectionProps & { variable: Variable }) {
  const { name, set } = variable;
  const { skill } = entry;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isReplacing, replace] = useState(false);
  const [isAsking, ask] = useState(false);
  const [said, say] = useState<"saved" | "cleared">();
  const act = useAct();

  const update = async (value: string) => {
    await call("skills.update", { skillKey: skill.skillKey, ...(variable.isMain ? { apiKey: value } : { env: { [name]: value } }) });
    await Promise.all([configuration.reload(), reload()]);
  };
  const save = () => {
    const value = field.current?.value.trim();
    // While another one is on its way this one stays in the field.
    if (!field.current || !value || act.busy) return;
    say(undefined);
    // Out of the page before anybody can look: it is on its way or it has to be brought again.
    field.current.value = "";
    void act.run(() => update(value)).then((isDone) => {
      if (!isDone) return;
      say("saved");
      replace(false);
    });
  };
  const clear = () => {
    ask(false);
    say(undefined);
    void act.run(() => update("")).then((isDone) => isDone && say("cleared"));
  };
  const hints = [variable.description, !variable.isRequired && t("setup.optional")].filter(Boolean).join(" ");
  const isField = set === "no" || isReplacing;
  return (
    <div class="field">
      <div class="btns">
        {set !== "no" && <Icon name="ok" class="met" />}
        {isField ? <label for={id}>{state(variable)}</label> : <span class="label">{state(variable)}</span>}
        {!isField && (
          <span class="btns apart">
            <Button kind="quiet" small label={t("setup.replaceOf", { name })} onClick={() => replace(true)}>
              {t("setup.replace")}
            </Button>
            {set === "here" && (
              <Button kind="quiet" small busy={act.busy} label={t("setup.clearOf", { name })} onClick={() => ask(true)}>
                {t("setup.clear")}
              </Button>
            )}
          </span>
        )}
      </div>
      {isField && (
        <form
          class="btns"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <input
            ref={field}
            id={id}
            class="input mono grow"
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder={t("setup.paste")}
            aria-describedby={`${id}h`}
          />
          <Button type="submit" busy={act.busy}>
            {t("setup.saveKey")}
          </Button>
          {isReplacing && (
            <Button kind="quiet" onClick={() => replace(false)}>
              {t("shared.cancel")}
            </Button>
          )}
        </form>
      )}
      <p class="hint" id={`${id}h`}>
        {hints} {isField && t("setup.keyHint")}
      </p>
      <p class="hint" role="status">
        {said === "saved" && rich("setup.keySaved", { name })}
        {said === "cleared" && rich("setup.keyCleared", { name })}
      </p>
      {act.error && <ErrorState error={act.error} />}
      {isAsking && (
        <Confirm
          scope="gateway"
          danger
          title={t("setup.askClear", { variable: name, name: skill.name })}
          effects={[
            { icon: "trash", text: t("setup.clearKept") },
            ...(variable.isRequired && entry.allowedFor.length > 0
              ? [{ icon: "users" as const, text: t("setup.clearStops", { names: listed(entry.allowedFor.map((agent) => nameOf(list, agent))) }) }]
              : []),
          ]}
          yes={t("setup.doClear", { variable: name })}
          onYes={clear}
          onNo={() => ask(false)}
        />
      )}
    </div>
  );
}

function state({ name, set }: Variable) {
  return set === "here" ? rich("setup.isSet", { name }) : set === "outside" ? rich("setup.isOutside", { name }) : rich("setup.isNotSet", { name });
}
