// The agent's model and its fallbacks.
// Written as one value of the agent's entry: `agents.update` supports only the first model and would drop the others.
import { useId } from "preact/hooks";
import type { AgentEntry, ModelEntry } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { Button, ErrorState, Load, Select } from "../../components";
import { objectOf } from "../../state/agent-entry";
import { agentName } from "../../state/agents";
import type { Config } from "../../state/config";
import { useResource } from "../../state/resource";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { type ModelChoice, choiceOf, moveUp, toConfigValue } from "./model";
import { useChange } from "./use-change";

type ModelProps = { agent: AgentEntry; entry: Config; config: Config };

export function Model(props: ModelProps) {
  const id = useId();
  const models = useResource(() => call("models.list", {}), { on: { "config.changed": true } }, []);
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{t("advanced.model")}</h2>
      </header>
      <div class="in">
        <Load from={models}>{({ models }) => <Choices {...props} models={models} />}</Load>
      </div>
    </section>
  );
}

const AS_ALL = "";

function Choices({ agent, entry, config, models }: ModelProps & { models: readonly ModelEntry[] }) {
  const change = useChange();
  const name = agentName(agent);
  const own = choiceOf(entry["model"]);
  const all = choiceOf(objectOf(objectOf(config["agents"])["defaults"])["model"]);
  const known = models.map((model) => ({ value: `${model.provider}/${model.id}`, text: `${model.name} (${model.provider}/${model.id})` }));
  const primary = own?.primary ?? AS_ALL;
  const isUnknown = primary !== AS_ALL && !known.some(({ value }) => value === primary);
  const write = (choice: ModelChoice | undefined, text: string) =>
    change.entry(agent.id, "model", (before) => toConfigValue(before, choice), text);
  const choose = (model: string) => {
    if (model === AS_ALL) void write(undefined, t("advanced.modelDone", { name, model: all?.primary ?? t("advanced.modelAll") }));
    else void write({ primary: model, fallbacks: own?.fallbacks ?? [] }, t("advanced.modelDone", { name, model }));
  };
  return (
    <>
      <div class="lineform">
        <span class="pick">
          <Select
            label={t("advanced.modelOf", { name })}
            value={primary}
            choices={[
              { value: AS_ALL, text: all?.primary ? t("advanced.modelAllIs", { model: all.primary }) : t("advanced.modelAll") },
              ...(isUnknown ? [{ value: primary, text: t("advanced.modelUnknown", { model: primary }) }] : []),
              ...known,
            ]}
            disabled={change.busy}
            onChange={choose}
          />
        </span>
      </div>
      <p>
        {agent.model ? rich("advanced.modelNow", { name, model: agent.model.primary }) : t("advanced.modelNone")} {t("advanced.modelSession")}
      </p>
      {own?.primary ? (
        <Fallbacks
          choice={own}
          known={known}
          busy={change.busy}
          onChange={(fallbacks) => void write({ ...own, fallbacks }, t("advanced.fallbacksDone"))}
        />
      ) : (
        <p>{all && all.fallbacks.length > 0 ? t("advanced.fallbacksAll") : t("advanced.fallbacksNone")}</p>
      )}
      {change.error && <ErrorState error={change.error} title={t("advanced.notSaved")} />}
    </>
  );
}

type FallbacksProps = {
  choice: ModelChoice;
  known: readonly { value: string; text: string }[];
  busy: boolean;
  onChange: (fallbacks: string[]) => void;
};

function Fallbacks({ choice: { primary, fallbacks }, known, busy, onChange }: FallbacksProps) {
  const more = known.filter(({ value }) => value !== primary && !fallbacks.includes(value));
  return (
    <>
      <h3>{t("advanced.fallbacks")}</h3>
      {fallbacks.length === 0 && <p>{t("advanced.fallbacksNone")}</p>}
      {fallbacks.length > 0 && (
        <ol class="fallbacks">
          {fallbacks.map((model, at) => (
            <li key={model}>
              <span class="n">{at + 1}</span>
              <code>{model}</code>
              <Button small kind="quiet" icon="up" label={t("advanced.fallbackUp", { model })} disabled={busy || at === 0} onClick={() => onChange(moveUp(fallbacks, at))} />
              <Button small label={t("advanced.fallbackRemove", { model })} disabled={busy} onClick={() => onChange(fallbacks.filter((other) => other !== model))}>
                {t("advanced.remove")}
              </Button>
            </li>
          ))}
        </ol>
      )}
      {more.length > 0 && (
        <div class="lineform">
          <span class="pick">
            <Select
              label={t("advanced.fallbackAdd")}
              value=""
              choices={[{ value: "", text: t("advanced.fallbackChoose") }, ...more]}
              disabled={busy}
              onChange={(model) => model && onChange([...fallbacks, model])}
            />
          </span>
        </div>
      )}
    </>
  );
}
