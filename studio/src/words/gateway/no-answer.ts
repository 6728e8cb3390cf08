// Chinese for why there is no answer, and what to do next. A missing reason does not compile.
import type { NoAnswer } from "../../generated/protocol";

export const noAnswers: Record<NoAnswer, string> = {
  auth: "模型服务的密钥缺失或未被接受。请重新设置；`tarsus models status` 显示使用的是哪个密钥。",
  billing: "模型服务的账户余额不足。请充值，或选择另一个模型。",
  "rate-limit": "请求过多，模型服务暂时不接受。请稍候，或设置备用模型。",
  overloaded: "模型服务现在无法响应。请稍后重试，或设置备用模型。",
  "context-too-long": "对话超过模型能处理的长度。`/compact` 可缩短对话，`/new` 另开一个。",
  "bad-request": "模型服务不接受此请求。请检查所选模型及其设置。",
  "timed-out": "模型用时过长。请重试，或选择更快的模型。",
  network: "无法连接到模型服务，或连接中断。请检查网络和服务地址。",
  malformed: "无法理解模型服务的响应。请检查该服务的 `api` 和 `baseUrl`。",
  declined: "模型拒绝回答。请换一种说法，或选择另一个模型。",
  empty: "模型没有给出任何内容。请重试，或选择另一个模型。",
  "not-done": "在这一轮中已多次询问模型，仍未完成。请分成更小的步骤，说明还缺什么。",
};
