// The list of files with their states; a native select on a narrow screen.
import type { AgentEntry, AgentFile } from "../../generated/protocol";
import { Link, Select } from "../../components";
import { agentName } from "../../state/agents";
import { go, settings } from "../../state/route";
import { t } from "../../words";
import { draftOf } from "./drafts";
import { type FileName, facts, fileNames } from "./files";

type FileListProps = { agent: AgentEntry; files: readonly AgentFile[]; current: FileName };

export function FileList({ agent, files, current }: FileListProps) {
  const to = (name: FileName) => settings("behavior", { agentId: agent.id, item: name });
  const stateOf = (name: FileName) => stateText(files.find((file) => file.name === name), !!draftOf(agent.id, name));
  return (
    <>
      <nav class="filelist only-wide" aria-label={t("behavior.files", { name: agentName(agent) })}>
        <ul>
          {fileNames.map((name) => (
            <li key={name}>
              <Link to={to(name)} current={name === current && "true"}>
                <b>{name}</b>
                <span class={draftOf(agent.id, name) ? "hint todo" : "hint num"}>{stateOf(name)}</span>
                <span class="hint when">{t(facts[name].prompt)}</span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <span class="pick only-narrow">
        <Select
          label={t("behavior.file")}
          value={current}
          choices={fileNames.map((name) => ({ value: name, text: `${name} · ${stateOf(name)}` }))}
          onChange={(name) => go(to(name))}
        />
      </span>
    </>
  );
}

function stateText(file: AgentFile | undefined, isChanged: boolean): string {
  if (isChanged) return t("behavior.changed");
  if (!file || file.missing) return t("behavior.missing");
  if (file.problem) return t("behavior.unreadable");
  return t("behavior.bytes", { n: file.size ?? 0 });
}
