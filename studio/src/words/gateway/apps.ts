// Chinese for faults of a registry entry, and for refusals by its policy. A missing fault does not compile.
import type { AppFault, AppMode, ValueKind } from "../../generated/protocol";

const kinds: Record<ValueKind, string> = {
  object: "对象",
  list: "列表",
  string: "字符串",
  number: "数字",
  boolean: "布尔值",
  null: " null",
};

export function appFault(fault: AppFault): string {
  switch (fault.code) {
    case "not-an-object":
      return `条目是${kinds[fault.found]}，不是对象`;
    case "not-text":
      return `${fault.field} 是${kinds[fault.found]}，不是字符串`;
    case "unknown-mode":
      return `mode 是 ${JSON.stringify(fault.mode)}，不是 full、allowlist 或 off`;
    case "agents-not-a-list":
      return `allowed_agents 是${kinds[fault.found]}，不是列表`;
    case "agent-not-text":
      return `allowed_agents 的第 ${fault.position} 项是${kinds[fault.found]}，不是字符串`;
    case "missing":
      return fault.field === "launch_path" ? `缺少 ${fault.field}，或其为空` : `缺少 ${fault.field}`;
    case "nobody-listed":
      return "mode 是 allowlist，但 allowed_agents 为空";
    case "agents-left-over":
      return `mode 是 ${fault.mode}，但 allowed_agents 列有智能体`;
  }
}

/** Why a launch or stop was refused. The mode of an incomplete entry does not apply. */
export function appRefusal(mode: AppMode | null, agent: string, name: string): string {
  switch (mode) {
    case "off":
      return `${name} 的策略是 off：不允许任何智能体启动或停止它。`;
    case "allowlist":
      return `${agent} 不在 ${name} 的 allowlist 中。`;
    default:
      return `${name} 的条目有误，因此不适用。`;
  }
}
