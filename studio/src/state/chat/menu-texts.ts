// The sentences by which a screen of the Application Manager is known, as it prints them, English beside Chinese.
// A sentence that is not here leaves a message what it is: text.

type Texts = {
  title: string;
  registryFile: string;
  applications: string;
  commands: string;
  running: string;
  /** The line that ends a start screen. */
  startReplies: readonly string[];
  /** The headlines of the other screens. */
  titles: readonly string[];
  /** Lists of apps to choose from, one question a list. */
  which: readonly string[];
  backOrQuit: string;
  yesOrNo: string;
  replyWith: string;
  pick: string;
  mode: string;
};

export const menuTexts: readonly Texts[] = [
  {
    title: "Application Manager",
    registryFile: "Registry file: ",
    applications: "Applications",
    commands: "Commands",
    running: "running",
    startReplies: [
      "Reply with an app number to launch it, or type `add`, `edit`, `delete`, `policy`, `validate`, or `quit`.",
      "Reply with `add` or `quit`.",
      "Reply with `create` or `quit`.",
      "Fix the file, then reply with `validate`, or `quit`.",
    ],
    titles: ["Add Application", "Edit Application", "Delete Application", "Change Launch Policy"],
    which: ["Which app should be launched?", "Which app should be stopped?", "Which app should be shown?"],
    backOrQuit: "Type `back` to go back or `quit` to exit.",
    yesOrNo: "Reply with `yes` or `no`.",
    replyWith: "Reply with:",
    pick: "Reply with an app number.",
    mode: "Which mode: `full` (any agent), `allowlist` (only listed agents) or `off` (nobody)?",
  },
  {
    title: "应用程序管理器",
    registryFile: "注册表文件: ",
    applications: "应用程序",
    commands: "命令",
    running: "运行中",
    startReplies: [
      "回复应用编号以启动它，或输入`add`、`edit`、`delete`、`policy`、`validate`或`quit`。",
      "回复`add`或`quit`。",
      "回复`create`或`quit`。",
      "请修复该文件，然后回复`validate`，或回复`quit`。",
    ],
    titles: ["添加应用程序", "编辑应用程序", "删除应用程序", "更改启动策略"],
    which: ["要启动哪个应用？", "要停止哪个应用？", "要查看哪个应用？"],
    backOrQuit: "输入`back`返回或`quit`退出。",
    yesOrNo: "回复`yes`或`no`。",
    replyWith: "回复:",
    pick: "回复应用编号。",
    mode: "选择哪种模式：`full`（任何代理）、`allowlist`（仅列出的代理）还是`off`（无人）？",
  },
];

export type MenuTexts = Texts;
