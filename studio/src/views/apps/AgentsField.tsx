// The agents of an allowlist: checkboxes for agents of this gateway and for listed unknown ones, and a field for another id.
import { useId, useState } from "preact/hooks";
import { Button } from "../../components";
import { agentName, agents } from "../../state/agents";
import { t } from "../../words";

type AgentsFieldProps = { value: readonly string[]; onChange: (agents: readonly string[]) => void };

export function AgentsField({ value, onChange }: AgentsFieldProps) {
  const id = useId();
  const [other, setOther] = useState("");
  const here = agents.value.value?.agents ?? [];
  const foreign = value.filter((agent) => !here.some(({ id }) => id === agent));
  const [listed, setListed] = useState(foreign);
  const extra = [...new Set([...listed, ...foreign])];
  const tick = (agent: string, on: boolean) => onChange(on ? [...value, agent] : value.filter((one) => one !== agent));
  const add = () => {
    // Several may be pasted at once, as on the command line.
    const named = other.split(",").map((one) => one.trim()).filter(Boolean);
    setListed([...new Set([...extra, ...named])]);
    onChange([...new Set([...value, ...named])]);
    setOther("");
  };
  return (
    <fieldset class="agents-field">
      <legend class="label">{t("apps.listedAgents")}</legend>
      {here.map((agent) => (
        <AgentCheckbox key={agent.id} id={agent.id} name={agentName(agent)} isOn={value.includes(agent.id)} onTick={tick} />
      ))}
      {extra.map((agent) => (
        <AgentCheckbox key={agent} id={agent} name={t("apps.notHere")} isOn={value.includes(agent)} onTick={tick} />
      ))}
      <label class="hint" for={id}>
        {t("apps.otherAgent")}
      </label>
      <div class="btns">
        <input
          id={id}
          class="input mono"
          value={other}
          autocomplete="off"
          spellcheck={false}
          maxLength={512}
          onInput={(event) => setOther(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !other.trim()) return;
            event.preventDefault();
            add();
          }}
        />
        <Button small disabled={!other.trim()} onClick={add}>
          {t("apps.addAgent")}
        </Button>
      </div>
    </fieldset>
  );
}

function AgentCheckbox({ id, name, isOn, onTick }: { id: string; name: string; isOn: boolean; onTick: (id: string, on: boolean) => void }) {
  return (
    <label class="tick">
      <input type="checkbox" checked={isOn} onChange={(event) => onTick(id, event.currentTarget.checked)} />
      <code>{id}</code>
      {name !== id && <span class="muted">{name}</span>}
    </label>
  );
}
