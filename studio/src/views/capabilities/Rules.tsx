// The agent's own tool lists: shown, extended, reduced, reset.
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { AgentEntry } from "../../generated/protocol";
import { type CallError, asCallError } from "../../gateway/failure";
import { Button, ErrorState, Select } from "../../components";
import { agentName } from "../../state/agents";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { changeToolRules } from "./change";
import { type ListName, type ToolRules, lists, toolRulesOf, isEmpty } from "./tool-rules";

const listLabels = {
  allow: "capabilities.listAllow",
  alsoAllow: "capabilities.listAlsoAllow",
  deny: "capabilities.listDeny",
} as const;

export function Rules({ agent, rules }: { agent: AgentEntry; rules: ToolRules }) {
  const error = useSignal<CallError | undefined>(undefined);
  const name = agentName(agent);
  const change = (next: (rules: ToolRules) => ToolRules, text: string) => {
    error.value = undefined;
    return changeToolRules(agent.id, next, text, (thrown) => (error.value = asCallError(thrown)));
  };
  const remove = (list: ListName, word: string) =>
    change(
      (now) => ({ ...now, [list]: now[list].filter((other) => other !== word) }),
      t("capabilities.removed", { word, list: t(listLabels[list]), name }),
    );
  const add = (list: ListName, word: string) =>
    change(
      (now) => (now[list].includes(word) ? now : { ...now, [list]: [...now[list], word] }),
      t("capabilities.added", { word, list: t(listLabels[list]), name }),
    );
  return (
    <section class="panel" aria-labelledby="own-rules">
      <header>
        <h2 id="own-rules" class="grow">
          {t("capabilities.own", { name })}
        </h2>
        <Button small icon="reset" disabled={isEmpty(rules)} onClick={() => void change(() => toolRulesOf({}), t("capabilities.resetDone", { name }))}>
          {t("capabilities.reset")}
        </Button>
      </header>
      <div class="in">
        <p>{isEmpty(rules) ? t("capabilities.ownNone", { name }) : t("capabilities.ownWhat")}</p>
        {lists.some((list) => rules[list].length > 0) && (
          <ul class="wordlist">
            {lists.flatMap((list) =>
              rules[list].map((word) => (
                <li key={`${list} ${word}`}>
                  <span class="k">{t(listLabels[list])}</span>
                  <code>{word}</code>
                  <Button small label={t("capabilities.removeWord", { word, list: t(listLabels[list]) })} onClick={() => void remove(list, word)}>
                    {t("capabilities.remove")}
                  </Button>
                </li>
              )),
            )}
          </ul>
        )}
        <AddWord onAdd={add} />
        {error.value && <ErrorState error={error.value} title={t("capabilities.notSaved")} />}
      </div>
    </section>
  );
}

/** Longer than any name of a tool or group. */
const LONGEST_WORD = 128;

function AddWord({ onAdd }: { onAdd: (list: ListName, word: string) => Promise<void> }) {
  const id = useId();
  const list = useSignal<ListName>("deny");
  const word = useSignal("");
  const submit = (event: Event) => {
    event.preventDefault();
    const rule = word.value.trim();
    if (!rule) return;
    word.value = "";
    void onAdd(list.value, rule);
  };
  return (
    <form class="addword" onSubmit={submit}>
      <div class="field">
        <label for={`${id}l`}>{t("capabilities.list")}</label>
        <span class="pick">
          <Select
            id={`${id}l`}
            label={t("capabilities.list")}
            value={list.value}
            choices={lists.map((one) => ({ value: one, text: t(listLabels[one]) }))}
            onChange={(chosen) => (list.value = chosen)}
          />
        </span>
      </div>
      <div class="field">
        <label for={`${id}w`}>{t("capabilities.word")}</label>
        <input
          id={`${id}w`}
          class="input mono"
          value={word.value}
          maxLength={LONGEST_WORD}
          autocomplete="off"
          spellcheck={false}
          aria-describedby={`${id}h`}
          onInput={(event) => (word.value = event.currentTarget.value)}
        />
      </div>
      <Button type="submit" icon="plus" disabled={!word.value.trim()}>
        {t("capabilities.add")}
      </Button>
      <p class="hint" id={`${id}h`}>
        {rich("capabilities.wordHint")}
      </p>
    </form>
  );
}
