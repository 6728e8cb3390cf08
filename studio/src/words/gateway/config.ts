// Chinese for faults of the configuration. A missing fault does not compile. Loaded only by the view that shows them.
import type { ConfigFault } from "../../generated/protocol";

export const configFaults: Record<ConfigFault, string> = {
  unreadable: "文件无法使用，修复之前不起作用。请修复详情所示的位置。",
  "unknown-key": "未知的键；它会保留，但不起作用。",
  "wrong-value": "值的类型或范围不正确。",
  "variable-not-set": "所用的环境变量没有设置。",
  "missing-key": "缺少必需的键；此条目不起作用。",
  "second-place": "`agents.list` 也在，以它为准。",
  "agent-twice": "同一个智能体出现了两次；以第一个为准。",
  "not-an-agent-id": "这不能作为智能体的 id。",
  "not-listed": "还有更多，没有列出。",
};
