// Chinese for the error codes of calls: what failed and what to do next. A missing code does not compile.
import type { ErrorCode, RpcCode } from "../../generated/protocol";

/** Errors of the page itself, without a message of the gateway. */
export type OwnCode = "DISCONNECTED" | "TIMEOUT";

export const errors: Record<ErrorCode | RpcCode | OwnCode, string> = {
  failed: "操作未成功。请查看详情后重试。",
  usage: "请求的内容无法接受。请按详情修改后重试。",
  "not-confirmed": "未获确认。请确认后再执行。",
  denied: "策略不允许。如应允许，请更改详情所述的策略。",
  "not-found": "找不到所需的内容。请核对名称或路径。",
  ambiguous: "名称不唯一。请使用完整名称。",
  malformed: "文件内容不正确或无法读取。未做任何更改；请修复详情所示的位置。",
  "too-large": "内容过大或嵌套过深。未做任何更改；请缩小后重试。",
  stale: "内容在此期间发生了变化。请重新查看后再更改。",
  io: "文件无法读取或写入。请检查路径是否存在，以及运行网关的账户能否使用它。",
  permission: "没有使用该文件的权限。请以文件所有者的身份运行网关，或更改文件的权限。",
  "disk-full": "磁盘空间不足。未做任何更改；请释放空间后重试。",
  busy: "正被占用，或等待处理的请求过多。请稍后重试。",
  tampered: "审计记录不完整或被改动。请先备份该文件夹，再运行 `tarsus audit verify`；`tarsus audit reset` 会保留旧文件并开始新的日志。",
  warnings: "存在警告。请逐条处理。",
  "gateway-unreachable": "网关没有响应。请运行 `tarsus up` 启动它。",
  "timed-out": "用时过长。请重试，或允许更长时间。",
  interrupted: "已中断。没有再执行任何操作。",
  INVALID_REQUEST: "网关无法接受此请求。请按详情修改后重试。",
  FORBIDDEN: "此浏览器没有执行该操作的权限。",
  UNAVAILABLE: "网关现在无法完成此操作。请稍后重试。",
  DISCONNECTED: "没有连接到网关。请在重新连接后再试。",
  TIMEOUT: "网关没有及时响应。请稍后重试。",
};
