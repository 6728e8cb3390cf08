// Changes an agent's tool rules in the configuration, with undo.
import { changeEntry } from "../../state/agent-entry";
import { showToast } from "../../state/toast";
import { type ToolRules, toolRulesOf, withToolRules } from "./tool-rules";

/** Writes the result of `change`; `text` is the toast. */
export async function changeToolRules(agentId: string, change: (rules: ToolRules) => ToolRules, text: string, failed: (thrown: unknown) => void): Promise<void> {
  try {
    let before: ToolRules | undefined;
    const { wrote } = await write(agentId, (rules) => change((before = rules)));
    if (!wrote || !before) return;
    const back = before;
    showToast({ text, undo: () => write(agentId, () => back).catch(failed) });
  } catch (thrown) {
    failed(thrown);
  }
}

const write = (agentId: string, change: (rules: ToolRules) => ToolRules) =>
  changeEntry(agentId, ({ tools }) => ({ tools: withToolRules(tools, change(toolRulesOf(tools))) }));
