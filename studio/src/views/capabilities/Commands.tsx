// The configured rules for commands, and the approved commands. Read-only: no tool runs commands yet, and the page says
// so.
import type { AgentEntry } from "../../generated/protocol";
import { call } from "../../gateway/calls";
import { Banner, Load, Table, Time } from "../../components";
import { entryOf, objectOf } from "../../state/agent-entry";
import { agentName } from "../../state/agents";
import type { Config } from "../../state/config";
import { useResource } from "../../state/resource";
import { t } from "../../words";
import { rich } from "../../words/rich";
import { approvedFor } from "./approved";

const securities = {
  deny: "capabilities.securityDeny",
  allowlist: "capabilities.securityAllowlist",
  full: "capabilities.securityFull",
} as const;
const asks = { off: "capabilities.askOff", "on-miss": "capabilities.askOnMiss", always: "capabilities.askAlways" } as const;

export function Commands({ agent, config }: { agent: AgentEntry; config: Config }) {
  const exec = objectOf(objectOf(config["tools"])["exec"]);
  const own = objectOf(entryOf(config, agent.id)["tools"])["exec"];
  const security = wordIn(securities, exec["security"]);
  const ask = wordIn(asks, exec["ask"]);
  return (
    <section class="panel" aria-labelledby="commands">
      <header>
        <h2 id="commands">{t("capabilities.commands")}</h2>
      </header>
      <div class="in">
        <Banner kind="info">{rich("capabilities.commandsNot")}</Banner>
        <dl class="settings-list">
          <dt>{t("capabilities.security")}</dt>
          <dd>
            {t(securities[security ?? "allowlist"])} <Origin word={security ?? "allowlist"} isSet={!!security} />
          </dd>
          <dt>{t("capabilities.ask")}</dt>
          <dd>
            {t(asks[ask ?? "on-miss"])} <Origin word={ask ?? "on-miss"} isSet={!!ask} />
          </dd>
        </dl>
        {own !== undefined && <p>{rich("capabilities.ownExec", { name: agentName(agent) })}</p>}
        <h3>{t("capabilities.approved")}</h3>
        <ApprovedCommands agent={agent} />
      </div>
    </section>
  );
}

function Origin({ word, isSet }: { word: string; isSet: boolean }) {
  return (
    <span class="hint">
      {rich("capabilities.origin", { word: <code>{word}</code>, how: isSet ? t("capabilities.setTo") : t("capabilities.usual") })}
    </span>
  );
}

function ApprovedCommands({ agent }: { agent: AgentEntry }) {
  const approvals = useResource(() => call("exec.approvals.get", {}), {}, []);
  return (
    <Load from={approvals}>
      {(answer) => {
        const approved = approvedFor(answer.file, agent.id);
        return (
          <>
            <p>
              {answer.exists ? t("capabilities.approvedCount", { n: approved.length, name: agentName(agent) }) : t("capabilities.approvedNoFile")}{" "}
              <code>{answer.path}</code>
            </p>
            {approved.length > 0 && (
              <Table label={t("capabilities.approved")} heads={[t("capabilities.pattern"), t("capabilities.lastUsed")]}>
                {approved.map(({ pattern, lastUsedAt }, index) => (
                  <tr key={index}>
                    <td>
                      <code>{pattern}</code>
                    </td>
                    <td>{lastUsedAt === undefined ? t("capabilities.never") : <Time at={lastUsedAt} relative />}</td>
                  </tr>
                ))}
              </Table>
            )}
          </>
        );
      }}
    </Load>
  );
}

/** The value, if it is one of the known words. */
function wordIn<T extends object>(known: T, value: unknown): keyof T | undefined {
  return typeof value === "string" && Object.hasOwn(known, value) ? (value as keyof T) : undefined;
}
