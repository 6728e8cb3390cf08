// The agent's identity and where it comes from: IDENTITY.md, or the configuration, which has precedence.
// The file is edited in Behavior, the configuration here.
import { useId } from "preact/hooks";
import type { AgentEntry } from "../../generated/protocol";
import { Avatar, Button, ErrorState, Link } from "../../components";
import { objectOf } from "../../state/agent-entry";
import { agentName } from "../../state/agents";
import type { Config } from "../../state/config";
import { settings } from "../../state/route";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { withoutEmpty, useChange } from "./use-change";
import { useFieldText } from "./use-field-text";

export function Identity({ agent, entry }: { agent: AgentEntry; entry: Config }) {
  const id = useId();
  const own = objectOf(entry["identity"]);
  const isConfigured = Object.keys(own).length > 0;
  const file = <code>IDENTITY.md</code>;
  return (
    <section class="panel" aria-labelledby={`${id}h`}>
      <header>
        <h2 id={`${id}h`} class="grow">
          {t("advanced.identity")}
        </h2>
        {!isConfigured && (
          <Link to={settings("behavior", { agentId: agent.id, item: "IDENTITY.md" })} class="btn sm">
            {t("advanced.identityEdit")}
          </Link>
        )}
      </header>
      <div class="in">
        <div class="idcard">
          <Avatar agent={agent} size="lg" />
          <span>
            <b>{agentName(agent)}</b>
            {agent.identity?.theme && <small>{agent.identity.theme}</small>}
          </span>
        </div>
        <p>
          {isConfigured ? rich("advanced.identityConfig") : agent.identity ? rich("advanced.identityFile", { file }) : rich("advanced.identityNone", { file })}
        </p>
        {isConfigured && <IdentityForm agent={agent} own={own} />}
      </div>
    </section>
  );
}

const LONGEST = { name: 200, emoji: 16, theme: 500 };

function IdentityForm({ agent, own }: { agent: AgentEntry; own: Config }) {
  const id = useId();
  const change = useChange();
  const textOf = (key: string) => (typeof own[key] === "string" ? own[key] : "");
  const fields = { name: useFieldText(textOf("name")), emoji: useFieldText(textOf("emoji")), theme: useFieldText(textOf("theme")) };
  const isSame = (["name", "emoji", "theme"] as const).every((key) => fields[key].text.trim() === textOf(key));
  const field = (key: keyof typeof LONGEST, label: string, short = false) => (
    <div class={short ? "field short" : "field"}>
      <label for={`${id}${key}`}>{label}</label>
      <input
        id={`${id}${key}`}
        class="input"
        value={fields[key].text}
        maxLength={LONGEST[key]}
        autocomplete="off"
        onInput={(event) => fields[key].type(event.currentTarget.value)}
      />
    </div>
  );
  const submit = (event: Event) => {
    event.preventDefault();
    const { name: _, emoji: __, theme: ___, ...others } = own;
    const texts = { name: fields.name.text, emoji: fields.emoji.text, theme: fields.theme.text };
    const next = { ...others, ...withoutEmpty(texts) };
    const identity = Object.keys(next).length > 0 ? next : undefined;
    void change.entry(agent.id, "identity", () => identity, t("advanced.identitySaved", { name: agentName(agent) }));
  };
  return (
    <form class="lineform" onSubmit={submit}>
      {field("name", t("advanced.identityName"))}
      {field("emoji", t("advanced.face"), true)}
      {field("theme", t("advanced.theme"))}
      <Button type="submit" busy={change.busy} disabled={isSame}>
        {t("advanced.save")}
      </Button>
      {change.error && <ErrorState error={change.error} title={t("advanced.notSaved")} />}
    </form>
  );
}
