//! All sentences of the conversation in English and Chinese. `{name}` is a placeholder; both languages have the same
//! placeholders and machine words.

use super::language::Language;

macro_rules! texts {
    ($($name:ident: $english:literal, $chinese:literal;)*) => {
        /// The sentences of one language.
        pub(super) struct Texts { $(pub(super) $name: &'static str,)* }

        const ENGLISH: Texts = Texts { $($name: $english,)* };
        const CHINESE: Texts = Texts { $($name: $chinese,)* };

        #[cfg(test)]
        const BOTH: &[(&str, &str, &str)] = &[$((stringify!($name), $english, $chinese),)*];
    };
}

impl Texts {
    pub(super) const fn for_language(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::Chinese => &CHINESE,
        }
    }
}

/// Fills in the placeholders of a sentence. Braces inside a value are not placeholders.
pub(super) fn fill(sentence: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let value = values.iter().find(|(known, _)| *known == name);
        text.push_str(value.map_or("", |(_, value)| value));
        rest = after;
    }
    text.push_str(rest);
    text
}

texts! {
    // Start screen
    title: "Application Manager", "应用程序管理器";
    registry_file: "Registry file: {path}", "注册表文件: {path}";
    applications: "Applications", "应用程序";
    commands: "Commands", "命令";
    status_empty: "Status: no applications registered yet", "状态: 尚未注册任何应用程序";
    status_missing: "Status: not created yet", "状态: 尚未创建";
    status_broken: "Status: cannot be read", "状态: 无法读取";
    reply_start: "Reply with an app number to launch it, or type `add`, `edit`, `delete`, `policy`, `validate`, or `quit`.",
        "回复应用编号以启动它，或输入`add`、`edit`、`delete`、`policy`、`validate`或`quit`。";
    reply_empty: "Reply with `add` or `quit`.", "回复`add`或`quit`。";
    reply_missing: "Reply with `create` or `quit`.", "回复`create`或`quit`。";
    nothing_changed: "Nothing was changed.", "未做任何更改。";
    reply_broken: "Fix the file, then reply with `validate`, or `quit`.", "请修复该文件，然后回复`validate`，或回复`quit`。";
    running: "running", "运行中";
    badge: " ({badge})", "（{badge}）";
    more_to_launch: "… and {count} more; type \"open\" and the name to launch one", "……另有 {count} 个；输入“打开”和名称即可启动";
    more_to_pick: "… and {count} more; type the name to choose one", "……另有 {count} 个；输入名称即可选择";
    more: "… and {count} more", "……另有 {count} 个";

    // Lists to choose from
    edit_title: "Edit Application", "编辑应用程序";
    delete_title: "Delete Application", "删除应用程序";
    policy_title: "Change Launch Policy", "更改启动策略";
    reply_pick: "Reply with an app number.", "回复应用程序编号。";
    back_or_quit: "Type `back` to go back or `quit` to exit.", "输入`back`返回或`quit`退出。";
    which_launch: "Which app should be launched?", "要启动哪个应用程序？";
    which_stop: "Which app should be stopped?", "要停止哪个应用程序？";
    which: "Which app do you mean?", "你指的是哪个应用程序？";

    // Edit and policy
    selected: "Selected: {name}", "已选择: {name}";
    new_name: "Name: {name}", "名称: {name}";
    current_values: "Current values:", "当前值:";
    proposed_values: "Proposed values:", "更改后:";
    new_values: "Proposed values:", "新条目:";
    current_mode: "Current mode: {mode}", "当前模式: {mode}";
    current_agents: "Current allowed_agents: {agents}", "当前allowed_agents: {agents}";
    reply_with: "Reply with:", "回复:";
    edit_launch_path: "Edit launch path", "编辑启动路径";
    edit_runtime_exe: "Edit runtime executable path", "编辑运行时可执行文件路径";
    edit_process_name: "Edit process name", "编辑进程名称";
    edit_mode: "Edit mode", "编辑模式";
    edit_agents: "Edit allowed agents", "编辑允许的智能体";
    edit_all: "Edit all", "编辑全部";
    set_mode: "Set mode to {mode}", "将模式设置为{mode}";
    agents_only: "Edit allowed agents only", "仅编辑允许的智能体";
    not_set: "(not set)", "（未设置）";
    none: "(none)", "（无）";

    // Questions
    add_title: "Add Application", "添加应用程序";
    ask_name: "What is the friendly name of the app?", "应用程序叫什么名称？";
    ask_launch_path: "What is the launch path (an executable or a shortcut)?", "启动路径是什么？（可执行文件或快捷方式）";
    ask_runtime_exe: "What is the path of the executable that then runs? (optional)", "实际运行的可执行文件路径是什么？（可选）";
    ask_process_name: "What is the name of its process? It is needed to stop the app. (optional)", "进程名称是什么？停止应用程序时需要它。（可选）";
    ask_mode: "Which mode? `full` (any agent), `allowlist` (only the listed agents) or `off` (no agent)",
        "选择哪种模式？`full`（任何智能体）、`allowlist`（仅列出的智能体）或`off`（任何智能体都不可以）";
    ask_agents: "Which agents may launch it? Separate several with commas.", "哪些智能体可以启动它？多个智能体用逗号分隔。";
    current_value: "Current value: {value}", "当前值: {value}";
    may_skip: "Send an empty line or `skip` to leave it out.", "发送空行或`skip`可跳过。";
    may_keep: "Send an empty line or `keep` to keep the current value.", "发送空行或`keep`可保留当前值。";
    may_clear: "Send `clear` to remove it.", "发送`clear`可删除该值。";
    shortcut_target: "The shortcut points to this path. Reply with `1` to use it.", "该快捷方式指向下面的路径，回复`1`即可采用。";
    edit_instead: "\"{name}\" is registered already. Edit that entry instead?", "“{name}”已经注册。是否改为编辑该条目？";
    required: "This answer is required; nothing is guessed.", "此项必须填写，系统不会猜测。";
    one_line: "An answer is one line of plain text.", "回答必须是一行纯文本。";
    too_long: "That is too long: at most {limit} characters.", "内容过长，最多 {limit} 个字符。";
    not_a_mode: "A mode is `full`, `allowlist` or `off`.", "模式只能是`full`、`allowlist`或`off`。";
    agents_needed: "Mode `allowlist` needs at least one agent.", "模式`allowlist`至少需要一个智能体。";
    also_needed: "The stored entry has no valid value for this either.", "已存储的条目在此项上也没有有效值。";
    path_missing: "Warning: {path} does not exist on this machine. It is kept as you wrote it.",
        "警告: 本机上不存在 {path}。将按你输入的内容保留。";
    path_short: "Warning: {path} is not a full path, so nothing can be launched there. It is kept as you wrote it.",
        "警告: {path} 不是完整路径，因此无法启动。将按你输入的内容保留。";
    switch_offer: "allowed_agents takes effect only in mode `allowlist`, and the mode is {mode}. Switch to `allowlist`?",
        "allowed_agents 仅在模式`allowlist`下有效，而当前模式为 {mode}。是否切换到`allowlist`？";
    create_offer: "The registry file does not exist yet. Create it now?", "注册表文件尚未创建。现在创建吗？";
    reply_yes_no: "Reply with `yes` or `no`.", "回复`yes`或`no`。";

    // Proposals
    propose_add: "Add this application?", "添加此应用程序？";
    propose_save: "Save this change?", "保存此更改？";
    propose_delete: "Delete this application from the registry?", "从注册表中删除此应用程序？";
    unstoppable: "Without runtime_exe or process_name, it can be launched but not stopped.",
        "runtime_exe 和 process_name 均未设置，因此可以启动，但无法停止。";
    nobody_is: "Warning: no agent can have the id {agents}. An id consists of lower-case letters, digits, `-` and `_`.",
        "警告: 没有智能体能使用 {agents} 作为 id。id 只能由小写字母、数字、`-`和`_`组成。";
    changed_meanwhile: "The registry changed in the meantime, so nothing was saved. These are the current values.",
        "注册表在此期间发生了变化，因此未保存任何内容。以下是当前的值。";
    nothing_done: "Nothing was done.", "未执行任何操作。";
    not_saved: "Nothing was saved.", "未保存任何内容。";
    not_deleted: "Nothing was deleted.", "未删除任何内容。";
    nothing_to_change: "The entry already has these values; nothing was changed.", "条目已是这些值，未做任何更改。";
    created: "The registry file was created.", "注册表文件已创建。";
    added: "\"{name}\" was added.", "“{name}”已添加。";
    saved: "\"{name}\" was saved.", "“{name}”已保存。";
    deleted: "\"{name}\" was deleted.", "“{name}”已删除。";

    // The list and the check
    list_title: "Registered applications", "已注册的应用程序";
    list_full: "any agent", "任何智能体都可以";
    list_off: "no agent", "任何智能体都不可以";
    who_full: "\"{name}\" may be launched by any agent. Its mode is `full`.", "任何智能体都可以启动“{name}”，其模式为`full`。";
    who_list: "\"{name}\" may be launched only by {agents}. Its mode is `allowlist`.", "只有 {agents} 可以启动“{name}”，其模式为`allowlist`。";
    who_off: "\"{name}\" may not be launched by any agent. Its mode is `off`.", "任何智能体都不可以启动“{name}”，其模式为`off`。";
    who_entry: "\"{name}\" cannot be launched, because its entry is not valid: {reasons}.", "“{name}”无法启动，因为其条目无效: {reasons}。";
    validate_title: "Registry validation", "注册表验证";
    valid: "valid", "有效";
    incomplete: "incomplete", "不完整";
    malformed: "malformed", "格式错误";
    mismatch: "policy mismatch", "策略不一致";
    entry_problems: "Problems: {reasons}", "问题: {reasons}";
    entry_written: "As written: {text}", "原文: {text}";

    // Launching and stopping
    suggest_launch: "No app has that name. Did you mean \"{name}\"? Launch it?", "没有这个名称的应用程序。你是想启动“{name}”吗？";
    suggest_stop: "No app has that name. Did you mean \"{name}\"? Stop it?", "没有这个名称的应用程序。你是想停止“{name}”吗？";
    suggest: "No app has that name. Did you mean \"{name}\"?", "没有这个名称的应用程序。你是指“{name}”吗？";
    not_registered: "No app called \"{name}\" is registered.", "没有注册名为“{name}”的应用程序。";
    to_open_menu: "Say `application manager` to open the menu.", "发送“应用程序管理器”可打开菜单。";
    warned: "Warning: {reasons}", "警告: {reasons}";
    gone: "\"{name}\" is no longer registered.", "“{name}”已不在注册表中。";
    refused_launch: "Refused: {agent} may not launch \"{name}\".", "已拒绝: {agent} 不可以启动“{name}”。";
    refused_stop: "Refused: {agent} may not stop \"{name}\".", "已拒绝: {agent} 不可以停止“{name}”。";
    stop_off: "\"{name}\" is in mode `off`. Stop it anyway?", "“{name}”处于模式`off`。仍要停止它吗？";
    refused_off: "Its mode is `off`, so no agent may.", "其模式为`off`，任何智能体都不可以。";
    refused_list: "Its mode is `allowlist`, so only these agents may: {agents}.", "其模式为`allowlist`，只有这些智能体可以: {agents}。";
    refused_entry: "Its entry is not valid: {reasons}.", "其条目无效: {reasons}。";
    to_allow: "To change who may, say `change application policy`.", "如要更改，请发送“更改应用程序策略”。";
    to_repair: "To repair it, say `edit application`.", "如要修正，请发送“编辑应用程序”。";
    started: "\"{name}\" started, pid {pids}.", "“{name}”已启动，pid {pids}。";
    requested: "Start of \"{name}\" requested.", "已请求启动“{name}”。";
    requested_unseen: "Start of \"{name}\" requested; no process {process} seen after 5 s.", "已请求启动“{name}”；5 秒后仍未看到进程 {process}。";
    already_running: "\"{name}\" is already running, pid {pids}. It was asked to come forward; no other copy was started.", "“{name}”已在运行，pid {pids}。已请求它显示到前台，没有启动新的副本。";
    started_another: "\"{name}\" was already running, pid {before}. Another copy of it was started, pid {pids}.", "“{name}”此前已在运行，pid {before}。又启动了一个副本，pid {pids}。";
    launch_failed: "\"{name}\" could not be launched: {error}", "无法启动“{name}”: {error}";
    retried: "The first attempt to start it failed: {error}", "第一次启动尝试失败: {error}";
    launcher: "Ran: {launcher}", "已执行: {launcher}";
    no_stop_data: "\"{name}\" can be launched, but not enough is stored to stop it. To add process_name or runtime_exe, say `edit application`.",
        "“{name}”可以启动，但存储的信息不足以停止它。如要添加 process_name 或 runtime_exe，请发送“编辑应用程序”。";
    not_running: "\"{name}\" is not running.", "“{name}”未在运行。";
    closed: "\"{name}\" closed, pid {pids}.", "“{name}”已关闭，pid {pids}。";
    killed: "\"{name}\" did not close and was killed, pid {pids}.", "“{name}”没有自行关闭，已被强制结束，pid {pids}。";
    left: "\"{name}\" is still running, pid {pid}: {error}", "“{name}”仍在运行，pid {pid}: {error}";
    failed: "Failed: {error}", "失败: {error}";
    unknown_outcome: "The last step was interrupted before its result was known. Check the values below.",
        "上一步在得到结果之前被中断，请核对下面的内容。";

    // Navigation
    not_a_choice: "\"{text}\" is not one of the choices.", "“{text}”不是可选项。";
    no_such_number: "Number {number} is not in the list.", "列表中没有编号 {number}。";
    nothing_registered: "No applications are registered yet.", "尚未注册任何应用程序。";
    answer_yes_no: "Please answer `yes` or `no`.", "请回答`yes`或`no`。";
    goodbye: "Application Manager closed.", "应用程序管理器已关闭。";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The placeholders and machine words of a sentence, sorted.
    fn marks(sentence: &str) -> Vec<String> {
        let mut marks: Vec<String> = Vec::new();
        for (open, close) in [('{', '}'), ('`', '`')] {
            let mut rest = sentence;
            while let Some((_, after)) = rest.split_once(open) {
                let (mark, after) = after.split_once(close).expect("an opened mark is closed");
                marks.push(mark.to_owned());
                rest = after;
            }
        }
        marks.sort();
        marks
    }

    #[test]
    fn both_languages_have_the_same_placeholders() {
        for (name, english, chinese) in BOTH {
            // Phrases to say have a form of their own in each language.
            let phrases = ["application manager", "change application policy", "edit application"];
            let english = phrases
                .iter()
                .fold((*english).to_owned(), |text, phrase| text.replace(&format!("`{phrase}`"), ""));
            assert_eq!(marks(&english), marks(chinese), "{name}");
        }
    }

    #[test]
    fn chinese_has_one_form_of_colons_and_brackets() {
        for (name, _, chinese) in BOTH {
            let mixed = chinese.contains(['：', '(', ')', ';', '?', '!']);
            assert!(!mixed, "{name}: colons as in the labels of the screens, the rest full width: {chinese}");
            assert!(!chinese.contains("代理") && !chinese.contains("校验"), "{name}: {chinese}");
        }
    }

    #[test]
    fn braces_inside_a_value_are_kept() {
        assert_eq!(fill("{a} and {b}{c}", &[("a", "{b}"), ("b", "2")]), "{b} and 2");
    }
}
