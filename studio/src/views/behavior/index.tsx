// The Behavior view, of one agent: its workspace files, and an editor for the one in the address.
import { call } from "../../gateway/calls";
import { AgentBand, Load } from "../../components";
import { agentName } from "../../state/agents";
import { useResource } from "../../state/resource";
import { t } from "../../words";
import "../../styles/behavior.css";
import type { ViewProps } from "..";
import { Editor } from "./Editor";
import { FileList } from "./FileList";
import { fileOf } from "./files";

export default function Behavior({ agent, route }: ViewProps) {
  const name = fileOf(route.view === "settings" ? route.item : undefined);
  const list = useResource(() => call("agents.files.list", { agentId: agent.id }), {}, [agent.id]);
  return (
    <>
      <AgentBand agent={agent} />
      <div class="page">
        <header class="page-head">
          <div class="grow">
            <h1>{t("behavior.title")}</h1>
            <p>{t("behavior.lead", { name: agentName(agent) })}</p>
          </div>
        </header>
        <div class="behavior">
          <Load from={list}>{(answer) => <FileList agent={agent} files={answer.files} current={name} />}</Load>
          <Editor key={name} agent={agent} name={name} onFile={() => void list.reload()} />
        </div>
      </div>
    </>
  );
}
