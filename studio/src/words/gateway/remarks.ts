// Chinese for the fixed remarks of the runtime in a conversation.
export const remarks: Readonly<Record<string, string>> = {
  "run-interrupted": "Tarsus 在回答完成之前停止。已完成的内容在上方；如有需要，请重新发送。",
  compaction: "此前的对话已为模型做了摘要。全部内容仍保存在这里。",
};
