// Chinese for the rules of the scanner: title, why it matters, what to do. A missing rule does not compile. Loaded only by
// views that show findings.
import type { RuleId } from "../../generated/protocol";

export type RuleWords = { title: string; why: string; fix: string };

/** Rules with the same remedy. */
function family<K extends RuleId>(fix: string, rules: Record<K, readonly [title: string, why: string]>): Record<K, RuleWords> {
  const entries = Object.entries<readonly [string, string]>(rules).map(([id, [title, why]]) => [id, { title, why, fix }]);
  return Object.fromEntries(entries) as Record<K, RuleWords>;
}

const fakePrerequisite = family("不要安装。技能需要的程序有名称、有软件包，绝不会是必须手动启动的下载文件。", {
  "fake-prerequisite.locked-archive": [
    "要求用密码解压下载的压缩包，并启动其中的程序",
    "加了密码，杀毒软件就无法检查压缩包；正经的工具不会这样分发。",
  ],
  "fake-prerequisite.paste-site": ["要求运行存放在文本分享网站上的命令", "文本分享网站上的内容随时会变，也无人对它负责。"],
  "fake-prerequisite.visit-and-paste": [
    "让用户到某个网页上取一条命令，粘贴到终端",
    "命令不写在技能里，检查技能的人就读不到它。",
  ],
  "fake-prerequisite.required-download": [
    "把下载的程序说成必要条件，并要求手动启动",
    "这是让人启动恶意软件的惯用手法：声称一切都取决于陌生网页上的一个文件。",
  ],
  "fake-prerequisite.required-program": [
    "把下载的程序说成必要条件，并点名要启动的文件",
    "这是让人启动恶意软件的惯用手法：声称一切都取决于陌生网页上的一个文件。",
  ],
  "fake-prerequisite.unknown-file-with-password": ["同时给出程序文件和密码", "附带密码的程序是为了让扫描工具无法扫描而打包的。"],
  "fake-prerequisite.agent-component": [
    "要求安装智能体并不存在的部件",
    "智能体没有技能所需的驱动、提供程序或核心；恶意软件常以这类名称分发。",
  ],
  "fake-prerequisite.run-dialog": ["让用户把内容粘贴到“运行”对话框", "粘贴到那里的内容会立即运行，智能体的任何检查都看不到。"],
  "fake-prerequisite.copy-into-terminal": [
    "让用户把命令复制到终端",
    "智能体自己会运行命令。只能由人启动的命令绕过了智能体的检查。",
  ],
  "fake-prerequisite.by-hand": [
    "需要从网页上取得并手动启动的程序",
    "技能需要的东西有名称、有软件包；网页上的文件可以是任何东西。",
  ],
});

const remoteExecution = family("运行之前先读一读取来的内容，或用软件包管理器安装该工具。", {
  "remote-execution.nameless": [
    "运行无名或临时地址提供的内容",
    "无人对这样的地址提供的内容负责，明天它就可能提供别的东西。",
  ],
  "remote-execution.piped": ["不看内容就运行某个地址提供的程序", "该地址提供的内容以用户的全部权限运行，而且没有人读过。"],
  "remote-execution.known-installer": [
    "不看内容就运行知名工具的安装程序",
    "该工具就是这样分发的；但运行的仍是该地址今天提供的内容。",
  ],
  "remote-execution.powershell": [
    "在 PowerShell 中运行某个地址提供的内容",
    "该地址提供的内容以用户的全部权限运行，而且没有人读过。",
  ],
  "remote-execution.powershell-nameless": [
    "在 PowerShell 中运行无名或临时地址提供的内容",
    "无人对这样的地址提供的内容负责，明天它就可能提供别的东西。",
  ],
  "remote-execution.powershell-unseen": ["隐藏启动 PowerShell，或给它编码过的命令", "凡是可以让人看到的事，都不需要这样做。"],
  "remote-execution.system-tool": [
    "让系统自带的工具取来程序并运行",
    "这些工具被用来绕过对浏览器和命令行的检查。",
  ],
  "remote-execution.fetched-code": ["把取来的文本交给程序的解释器", "谁提供该地址，谁就决定程序做什么。"],
  "remote-execution.download-and-start": ["从无名地址下载程序并启动", "无人对这样的地址提供的内容负责。"],
  "remote-execution.followed-page": ["让智能体听从网页上的话", "能改动该网页的人就能指挥智能体。"],
  "remote-execution.input-as-program": ["把来自外部的内容当作程序运行", "谁写这些输入，谁就决定运行什么。"],
});

const obfuscation = family("在运行任何内容之前，先手动解码并读一读；技能没有理由隐藏命令。", {
  "obfuscation.decoded-into-shell": ["解码一段文本并运行它", "没有人能读到运行的是什么。"],
  "obfuscation.decoded-into-interpreter": ["把解码后的文本当作程序运行", "没有人能读到运行的是什么。"],
  "obfuscation.program-from-hidden-file": [
    "把藏起来的文件当作程序运行",
    "运行的内容既不在技能里，也不在人会查看的地方。",
  ],
  "obfuscation.encoded-address": ["以编码形式保存网址", "把网址编码，读技能的人就看不出它指向哪里。"],
  "obfuscation.split-command": ["把命令写得无法阅读", "命令行会把这些片段拼起来；人和简单的检查不会。"],
});

const exfiltration = family("查明数据送到哪里、为什么要送；得不到答案就删除该技能，并更换它可能读到的每一个密钥。", {
  "exfiltration.environment": ["把所有环境变量发送出去", "环境变量里有用户所用各项服务的密钥。"],
  "exfiltration.key-file": ["把含有密钥的文件发送出去", "拿到该文件的人可以冒充用户。"],
  "exfiltration.key-file-in-program": ["在会发送数据的程序中读取含有密钥的文件", "拿到该文件的人可以冒充用户。"],
  "exfiltration.dns": [
    "把机密藏在要查询的域名中发送出去",
    "网络请求被拦住时，域名查询仍能通过；正经的检查不会把密钥放进去。",
  ],
  "exfiltration.encoded-secret": [
    "把环境变量中的机密编码后发送",
    "给服务的密钥会原样发送；编码是为了瞒过监看网络的人。",
  ],
  "exfiltration.secret-in-body": [
    "在请求正文中发送另一项服务的机密",
    "服务在请求头中接收自己的密钥；正文里别家的密钥会落到收集密钥的人手里。",
  ],
  "exfiltration.collector": ["把数据发送到替任何人收集请求的服务", "这类服务是为测试而设的；出现在技能里，就是用来接收窃得的内容。"],
  "exfiltration.bot": ["把文件或密钥发送给聊天机器人", "写在技能里、带有密钥的机器人地址属于作者，不属于用户。"],
  "exfiltration.piped-value": ["把机密值通过管道送入请求", "给服务的密钥放在请求头里；送入请求正文就是在收集它。"],
  "exfiltration.push": ["把代码仓库推送到它自己的地址", "整个历史都会交给该地址的所有者。"],
  "exfiltration.told": ["让智能体把私人内容发送到某个地址", "照做的智能体会泄露属于用户的内容。"],
  "exfiltration.keys-told": ["让智能体把密钥发送给不该得到它的人", "照做的智能体会泄露用户的密钥。"],
  "exfiltration.files-told": ["让智能体把用户的文件发送到某个地址", "项目的文件不归技能处置。"],
  "exfiltration.picture": ["把数据放进图片或网页的地址", "打开该地址就会送出数据，不会询问。"],
  "exfiltration.aside": ["让智能体顺便上传内容", "附在别的任务上的上传，会把用户的数据送给与任务无关的人。"],
  "exfiltration.copy-told": ["让智能体把用户的工作内容发送到某个地址", "在别人的地址上留一份副本就是泄露，不论叫什么名称。"],
  "exfiltration.copied-mail": ["在收件人中加入固定的地址", "该地址的所有者会一同读到。"],
  "exfiltration.kept-secrets": ["让人把机密或私人数据另存到文件", "存有密钥、卡号或密码的文件，等着别人来取。"],
  "exfiltration.kept-by-program": ["让程序把机密或支付信息另存到文件", "存有密钥、卡号或密码的文件，等着别人来取。"],
  "exfiltration.stranger": [
    "把内容发送到技能别处从未提及的地址",
    "为某项服务而写的技能会说明该服务；只在发送时出现的地址属于别人。",
  ],
  "exfiltration.shown": ["让机密出现在智能体写的内容里", "回答、报告和提交都会被别人读到。"],
  "exfiltration.fixed-account": ["让人把钱汇到固定的账户", "写下账号的人会收到这笔钱。"],
  "exfiltration.secret-in-query": [
    "把机密或会话放进发给别人的请求的地址或正文",
    "提供该地址的人可以继续使用这个会话。",
  ],
  "exfiltration.audience": ["让私人内容转给外人", "告诉智能体的话，并不是说给所有人听的。"],
});

const credentials = family("查明技能为什么需要该密钥；不需要的技能不应接触到密钥。", {
  "credentials.key-file": ["读取含有私钥或密码的文件", "读到该文件的人可以冒充用户。"],
  "credentials.cloud-metadata": ["向云主机索取它自己的密钥", "拿到这些密钥的人可以冒充该主机。"],
  "credentials.seed-phrase": ["索要钱包的助记词或密钥", "拿到它们的人就拥有该钱包。没有任何工具需要把它们输入聊天。"],
  "credentials.stored-passwords": ["从浏览器或系统的密码库中取出密码", "这些密码库存有用户的全部密码。"],
  "credentials.keystrokes": ["记录键入或复制的内容", "密码正是键入和复制的。"],
  "credentials.hunt": ["在机器上搜寻密钥", "知道自己需要什么的技能不会去搜寻。"],
  "credentials.bundle": ["把多项服务的密钥放进一个值", "没有哪一项服务需要别家的密钥。"],
  "credentials.asked": ["让智能体索要密码、卡号或验证码", "输入对话的内容会被保存，也会被别人读到；诚实的人不会在那里索要。"],
});

const reverseShell = family("不要运行：它会把机器交给连接另一端的人。", {
  "reverse-shell.shell-to-socket": ["把命令行接到网络上", "另一端的人可以运行任何东西。"],
  "reverse-shell.program": ["从程序中把命令行接到网络上", "另一端的人可以运行任何东西。"],
  "reverse-shell.receives": ["在网络上等待内容，解码后藏起来", "连接上来的人会把程序放到机器上。"],
  "reverse-shell.tunnel": ["打开一条从外部进入机器的通道", "另一端的人可以触及只有本机才应触及的内容。"],
});

const promptInjection = family("删除该句，或删除该技能：技能描述任务，不应触动智能体的规则。", {
  "prompt-injection.override": ["让智能体放弃它的指令", "智能体的规则使它站在用户一边。"],
  "prompt-injection.description-order": [
    "在名称或描述中给智能体下命令",
    "名称和描述总在提示词中，即使没有人使用该技能。它们只应说明技能的用途，而不是规定智能体要做什么。",
  ],
  "prompt-injection.role": ["给智能体一个没有规则的角色", "没有规则的角色是绕过规则的惯用手法。"],
  "prompt-injection.never-refuse": ["不许智能体拒绝或警告", "需要这样做的人，想要的正是智能体会拒绝的事。"],
  "prompt-injection.secrecy": ["让智能体对用户隐瞒", "智能体为用户做的事，用户都可以知道。"],
  "prompt-injection.rules-off": [
    "告诉智能体安全规则不算数",
    "任何技能都不能取消智能体的规则；这样说的技能想要规则所禁止的事。",
  ],
  "prompt-injection.hidden-order": ["在人看不到的地方给智能体下命令", "看页面的人看不到，智能体看得到。"],
  "prompt-injection.hidden-theft": ["在人看不到的地方指使窃取或抗命", "隐藏这样的命令没有正当理由。"],
  "prompt-injection.leak": ["索要智能体自己的指令", "这些指令说明如何左右智能体，也可能含有私人内容。"],
  "prompt-injection.real-instructions": ["声称真正的指令另有内容", "这一行之前的内容都是伪装。"],
});

const unasked = family("删除该句，或删除该技能：技能给任务添加的内容应为交付任务的人服务。", {
  "prompt-injection.errand": ["给每项任务附加差事", "不论用户要什么都必须跟着做的步骤，是在为别人服务。"],
  "prompt-injection.foreign-purpose": [
    "让智能体在任务之外复制、分享或上报内容",
    "除非用户要求，复制、分享和上报都是别人的事。",
  ],
  "prompt-injection.endless": ["让智能体没完没了地继续", "不停止的智能体会耗费金钱，并看到不该看的内容。"],
  "prompt-injection.looks-away": ["让智能体略去用户应知道或应检查的内容", "略去检查或警告是为了别人的利益。"],
  "prompt-injection.check-unneeded": ["劝智能体不做检查", "被说成不必要的检查，正是有人想绕过的检查。"],
  "prompt-injection.slant": ["让智能体写的内容带有倾向", "用户要的是一篇文字，却附带了别人的意见。"],
  "prompt-injection.applause": ["让智能体收集星标、关注或好评", "用户的账户在替别人说话。"],
  "prompt-injection.later": ["以后会换一种行为", "过些天或用过若干次才开始的行为，到那时已经通过了所有测试。"],
  "prompt-injection.planted": ["让智能体在写的所有内容里埋入东西", "用户的成果里带上了别人的文字、链接或程序。"],
  "prompt-injection.unsafe-work": ["让智能体做出容易受攻击的成果", "提出要求的人可以攻入这样做成的东西。"],
});

const boundarySpoofing = family("删除该标记或标签；技能中的任何内容都不需要看起来像智能体自己的消息。", {
  "boundary-spoofing.chat-token": ["含有分隔对话双方的标记", "模型可能把后面的内容当作别人说的话。"],
  "boundary-spoofing.speaker": ["以系统的身份说话", "技能不是系统；受骗的模型会把它当作系统来听从。"],
  "boundary-spoofing.prompt-tag": ["打开或关闭智能体提示词的标签", "关闭标签之后的内容看起来像是智能体自己的。"],
  "boundary-spoofing.tool-order": ["把交出数据的命令包在看似官方的标签里", "这样的标签是为了看起来像智能体制作者的话。"],
  "boundary-spoofing.seal": ["声称已经过检查", "只有检查者才能这样说；技能自己这样说，是想让人相信它。"],
});

const hiddenText = family("以显示所有字符的方式查看该文件，并删除不该有的内容。", {
  "hidden-text.unseen": ["含有用不显示的字符写成的文本", "模型会读这些字符，人看不到。"],
  "hidden-text.turned": ["改变阅读方向", "显示的顺序与读到的顺序不同。"],
  "hidden-text.split-words": ["在单词中插入不显示的字符", "这样拆开单词，检查就找不到它们。"],
  "hidden-text.disguised": ["用另一种文字的字母书写单词", "单词看起来是熟悉的那个，其实是另一个。"],
  "hidden-text.padding": ["把文本放到很远的看不见的地方", "没有人会翻过这么多空白，模型却会读下去。"],
});

const capabilityInflation = family("说明技能用于什么任务，何时使用交给智能体决定。", {
  "capability-inflation.above-others": ["把自己置于其他技能之上", "总是先被询问的技能能看到一切，也能改变一切。"],
  "capability-inflation.every-request": ["想用于所有事情", "用于所有事情的技能能看到一切。"],
  "capability-inflation.hostile-name": ["以它要窃取或破坏的东西命名", "名称是作者最用心选择的东西。"],
  "capability-inflation.same-name": ["占用 Tarsus 自带技能的名称", "用户想用另一个时，用到的却是它。"],
  "capability-inflation.near-name": ["名称与 Tarsus 自带的技能只差一点", "这样的名称等着打错字或没有细看的人。"],
});

const persistence = family("手动撤销该更改；技能完成任务后，不应留下会自行运行的东西。", {
  "persistence.login-key": ["添加可以登录的密钥", "持有另一半密钥的人从此可以进入该机器。"],
  "persistence.scheduled-fetch": ["反复地或在每次登录时取来内容并运行", "提供该地址的人从此可以使用该机器。"],
  "persistence.start-up": ["在每次登录时或反复地启动程序", "自行运行的东西在技能删除后仍会继续。"],
  "persistence.agent-rules": ["向智能体自己的文件写入命令", "每次对话开始时都会读这些文件：写在那里的内容在技能删除后仍然有效。"],
  "persistence.agent-orders": ["在智能体的文件中埋入不利于用户的命令", "它们在以后的每次对话中起作用，那时已没有人想到这个技能。"],
  "persistence.hooks": ["把自己挂接到智能体或代码仓库", "挂接的程序在每次启动或提交时运行，拥有用户的全部权限。"],
});

const privilege = family("不要给技能超出任务所需的权限，并保持防护开启。", {
  "privilege.password-free": ["让人不用密码就能以管理员身份操作", "从此该用户的每个程序都能改动整台机器。"],
  "privilege.protection-off": ["关闭机器的防护", "关闭的防护不会自行恢复。"],
  "privilege.open-to-all": ["向所有人开放文件", "机器上的每个人从此都能改动那里的内容。"],
  "privilege.out-of-container": ["把整台机器交给容器", "这样的容器不再是隔离墙。"],
  "privilege.opened-in-passing": ["顺便把内容向别人开放", "所有人都能看到或改动的东西很难收回。"],
  "privilege.unexplained-tools": [
    "索要工具却不说明用途",
    "只列工具而不说用来做什么，就把用途留给了别的东西决定。",
  ],
  "privilege.approvals-off": ["让人关闭智能体的批准机制或网关的锁", "批准机制是技能与机器之间的那道关。"],
  "privilege.every-tool": ["索要所有工具", "什么都可以做的技能，没有什么能阻止它。"],
});

const destructive = family("不要运行；在副本上操作，并明确说明可以删除什么。", {
  "destructive.everything": ["删除或覆盖一切", "无法撤销。"],
  "destructive.traces": ["清除日志或命令历史", "事后要靠日志才能弄清发生了什么。"],
  "destructive.told": ["让智能体删除或加密属于用户的内容", "无法撤销。"],
  "destructive.locked-away": ["用技能自己的密码锁住用户的成果", "不知道密码的人再也拿不到这些成果。"],
  "destructive.records-told": ["让智能体删除没有人要求删除的记录", "无法撤销。"],
  "destructive.flood": ["无必要地循环发送请求", "向服务器大量发送请求的机器是被用来攻击，或会被拒之门外。"],
});

const miner = family("不要运行：它用这台机器替别人赚钱。", {
  "miner.pool": ["挖掘加密货币", "挖矿需要矿池或挖矿程序；两者都不该出现在技能里。"],
});

const supplyChain = family("从该工具的制作者指明的软件源安装，并写明版本。", {
  "supply-chain.other-index": ["从不常见或没有保护的软件源安装软件包", "谁运营该软件源，谁就决定安装什么。"],
  "supply-chain.from-address": ["从网址安装软件包", "网址上的内容会变，也没有软件源看管。"],
  "supply-chain.hostile-address": ["从无名地址或名称带有攻击含义的地址安装软件包", "无人对这样的地址提供的内容负责。"],
  "supply-chain.agent-package": ["安装冒充智能体部件的软件包", "智能体没有这样的软件包；取这个名称是为了显得可信。"],
  "supply-chain.own-installer": [
    "不看内容就运行它所服务的那家的安装程序",
    "该地址今天提供的内容以用户的全部权限运行，也没有软件源看管。",
  ],
  "supply-chain.unknown-repository": ["不看内容就运行某人代码仓库中的程序", "谁拥有该仓库，谁就决定明天运行什么。"],
  "supply-chain.misspelt-name": ["名称是某个知名名称的误拼", "这样的名称等着打错字的人。"],
});

const secrets = family("吊销该密钥，改为从环境变量读取。", {
  "secrets.service-key": ["含有某项服务的密钥", "拥有该技能的人都拥有该密钥；或者技能让用户使用作者的账户。"],
  "secrets.private-key": ["含有私钥", "拥有该技能的人都拥有该密钥。"],
});

const files = family("删除该文件，或换成生成它的文本。", {
  "files.unreadable": ["无法读取", "读不到的内容无法扫描。"],
  "files.too-large": ["超过可扫描的大小", "其余部分没有扫描。"],
  "files.too-much": ["所在文件夹的内容超过可读取的量", "没有读到末尾。"],
  "files.too-many": ["内容超过可扫描的数量", "其余部分没有扫描。"],
  "files.link-out": ["是指向文件夹之外的链接", "它指向的内容没有扫描，而且会变。"],
  "files.broken-link": ["是没有目标的链接", "以后出现在那里的内容没有扫描。"],
  "files.special": ["既不是文件也不是文件夹", "无法扫描。"],
  "files.executable": ["是机器码程序", "没有人能读出它做什么。"],
  "files.byte-code": ["是编译过的程序", "没有人能读出它做什么。"],
  "files.archive": ["是压缩包", "里面的内容没有扫描。"],
  "files.not-text": ["不是文本，也不是已知的文件类型", "无法扫描。"],
  "files.other-kind": ["与文件名所示的类型不符", "给文件改名，是为了不让人查看。"],
  "files.hidden": ["名称使它被隐藏", "多数列表不显示它。"],
  "files.odd-name": ["名称含有不显示的字符", "它看起来像另一个文件。"],
  "files.active-page": ["是含有程序的网页", "打开它就会运行该程序。"],
  "files.active-drawing": ["是含有程序的矢量图", "打开它就会运行该程序。"],
  "files.too-much-encoded": ["编码文本的数量或层数超过可扫描的范围", "其余部分没有扫描。"],
  "files.active-picture": ["是含有程序的图片", "打开它就会运行该程序。"],
});

const capabilityUse = family("在 metadata.openclaw.capabilities 中声明技能使用的能力，不多也不少。", {
  "capability-use.undeclared": ["使用了没有声明的能力", "技能生效期间，既未声明也未授予的工具会被拒绝。"],
  "capability-use.unused": ["声明了似乎不使用的能力", "不需要的权限，多一项都嫌多。"],
  "capability-use.shell": ["启动程序", "命令和脚本以用户的权限运行。"],
  "capability-use.filesystem": ["改动文件", "写入或删除的可能是用户的文件。"],
  "capability-use.network": ["连接其他机器", "发送的内容会离开本机，收到的内容由别人写成。"],
  "capability-use.browser": ["操作浏览器", "用户登录了哪里，浏览器就登录在哪里。"],
  "capability-use.sessions": ["启动或联系其他会话", "另一个会话独立工作，有自己的权限。"],
  "capability-use.messaging": ["向人发送消息", "消息以用户的名义发出。"],
  "capability-use.scheduling": ["安排以后的工作", "安排好的工作会在没有人看着的时候运行。"],
});

export const rules: Record<RuleId, RuleWords> = {
  ...fakePrerequisite,
  ...remoteExecution,
  ...obfuscation,
  ...exfiltration,
  ...credentials,
  ...reverseShell,
  ...promptInjection,
  ...unasked,
  ...boundarySpoofing,
  ...hiddenText,
  ...capabilityInflation,
  ...persistence,
  ...privilege,
  ...destructive,
  ...miner,
  ...supplyChain,
  ...secrets,
  ...files,
  ...capabilityUse,
};
