// The variables of a skill: set or not set, never the value. A field is cleared as soon as it is saved.
import { useId, useRef, useState } from "preact/hooks";
import { call } from "../../../gateway/calls";
import { Button, Confirm, ErrorState, Icon } from "../../../components";
import { type Config, config as configuration } from "../../../state/config";
import { type Variable, variablesOf } from "../../../state/skills/requirements";
import { listed, t } from "../../../words";
import { rich } from "../../../words/rich";
import { nameOf } from "../Band";
import { useAction } from "../use-action";
import type { SectionProps } from "./Configure";
import { Section } from "./Section";

type KeysProps = SectionProps & { config: Config | undefined };

export function Keys({ config, ...section }: KeysProps) {
  const variables = variablesOf(section.entry.skill, config);
  if (variables.length === 0) return null;
  const open = variables.filter(({ set }) => set === "no").length;
  return (
    <Section icon="key" title={t("setup.keys")} small={open > 0 ? t("setup.keysNotSet", { n: open }) : t("setup.keysSet")}>
      {variables.map((variable) => (
        <Key key={variable.name} variable={variable} {...section} />
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
  const [status, setStatus] = useState<"saved" | "cleared">();
  const act = useAction();

  const update = async (value: string) => {
    await call("skills.update", { skillKey: skill.skillKey, ...(variable.isMain ? { apiKey: value } : { env: { [name]: value } }) });
    await Promise.all([configuration.reload(), reload()]);
  };
  const save = () => {
    const value = field.current?.value.trim();
    // While another value is being saved, this one stays in the field.
    if (!field.current || !value || act.busy) return;
    setStatus(undefined);
    // Cleared at once: the secret leaves the page as soon as it is sent.
    field.current.value = "";
    void act.run(() => update(value)).then((isDone) => {
      if (!isDone) return;
      setStatus("saved");
      replace(false);
    });
  };
  const clear = () => {
    ask(false);
    setStatus(undefined);
    void act.run(() => update("")).then((isDone) => isDone && setStatus("cleared"));
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
        {status === "saved" && rich("setup.keySaved", { name })}
        {status === "cleared" && rich("setup.keyCleared", { name })}
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
