//! The phrases of requests, after folding. Slots are separated by spaces: `a|b` are alternatives, `?` makes a slot optional.

use super::language::Language::{self, Chinese, English};
use super::request::AppVerb::{self, Delete, Edit, Launch, Policy, Show, Stop, Who};
use super::request::MenuCommand;
use crate::fold::Word;

/// A phrase around the name of an app.
pub(super) struct AppPhrase {
    pub(super) language: Language,
    pub(super) verb: AppVerb,
    /// The slots before the name.
    pub(super) before: &'static str,
    /// The slots after it.
    pub(super) after: &'static str,
}

const fn phrase(language: Language, verb: AppVerb, before: &'static str, after: &'static str) -> AppPhrase {
    AppPhrase { language, verb, before, after }
}

/// The first phrase that fits decides, so a longer one comes before a shorter one that it begins with.
pub(super) const APP_PHRASES: &[AppPhrase] = &[
    phrase(
        English,
        Who,
        "tell|show? me? who|which|what agent|agents? can|may|could run|launch|start|open|use",
        "",
    ),
    phrase(
        English,
        Who,
        "tell|show? me? who|who's|which|what agent|agents? is|are? allowed|permitted to run|launch|start|open|use",
        "",
    ),
    phrase(
        English,
        Who,
        "tell|show? me? who|which|what agent|agents? has|have permission to run|launch|start|open|use",
        "",
    ),
    phrase(English, Who, "tell|show? me? who|which|what agent|agents? has|have access to", ""),
    phrase(English, Who, "show|view|what|what's me? is? the? launch? policy of|for", ""),
    phrase(English, Who, "show|view me?", "launch? policy"),
    phrase(English, Policy, "change|edit|set|modify the? launch? policy of|for", ""),
    phrase(English, Policy, "change|edit|set|modify", "launch? policy"),
    phrase(English, Policy, "change|edit|set who can|may run|launch|start|open|use", ""),
    phrase(English, Policy, "policy of|for?", ""),
    phrase(
        English,
        Show,
        "show|view|display me? the? details|entry|registration|info|information of|for|about|on",
        "",
    ),
    phrase(English, Show, "show|view|display me?", "details|entry|registration|info|information"),
    phrase(English, Show, "details of|for|about?", ""),
    phrase(English, Show, "show|view|display me?", ""),
    phrase(English, Edit, "edit|change|modify the? entry|registration of|for", ""),
    phrase(English, Edit, "edit|change|modify", "entry|registration"),
    phrase(English, Edit, "edit|change|modify", ""),
    phrase(English, Delete, "delete|remove the? entry|registration of|for", ""),
    phrase(English, Delete, "delete|remove", "entry|registration"),
    phrase(
        English,
        Delete,
        "delete|remove",
        "from the|my? app|application? registry|manager|list|apps|applications",
    ),
    phrase(English, Delete, "delete|remove|unregister", ""),
    phrase(English, Launch, "open|launch|run|start", ""),
    phrase(English, Stop, "stop|close|quit|exit", ""),
    phrase(Chinese, Who, "谁|哪些智能体|哪个智能体 可以|可|能够|能|有权限|有权 运行|启动|打开|使用|用", ""),
    phrase(Chinese, Who, "谁|哪些智能体|哪个智能体 被 允许 运行|启动|打开|使用|用", ""),
    phrase(Chinese, Who, "允许 谁|哪些智能体|哪个智能体 运行|启动|打开|使用|用", ""),
    phrase(Chinese, Who, "", "谁|哪些智能体|哪个智能体 可以|可|能够|能|有权限|有权 运行|启动|打开|使用|用"),
    phrase(Chinese, Who, "", "可以|能 由|被 谁|哪些智能体 运行|启动|打开|使用|用"),
    phrase(Chinese, Who, "显示|查看", "的? 启动? 策略"),
    phrase(Chinese, Policy, "更改|修改|编辑|设置|调整|改 启动? 策略", ""),
    phrase(Chinese, Policy, "更改|修改|编辑|设置|调整|改", "的? 启动? 策略"),
    phrase(Chinese, Policy, "策略", ""),
    phrase(Chinese, Show, "显示|查看|展示 详情|详细信息", ""),
    phrase(Chinese, Show, "显示|查看|展示", "的? 详情|详细信息|条目|注册信息|信息"),
    phrase(Chinese, Show, "详情", ""),
    phrase(Chinese, Show, "", "的? 详情|详细信息"),
    phrase(Chinese, Show, "显示|查看|展示", ""),
    phrase(Chinese, Edit, "编辑|修改|更改", "的? 条目|注册信息"),
    phrase(Chinese, Edit, "编辑|修改|更改", ""),
    phrase(Chinese, Delete, "从 应用程序|应用? 注册表|列表 中|里 删除|移除|删掉|删了|去掉", ""),
    phrase(Chinese, Delete, "删除|移除|删掉|删了|去掉", "的? 条目|注册信息"),
    phrase(Chinese, Delete, "删除|移除|删掉|删了|去掉", ""),
    phrase(Chinese, Delete, "把|将", "从 应用程序|应用? 注册表|列表 中|里 删除|移除|删掉|删了|去掉"),
    phrase(Chinese, Delete, "把|将", "删除|移除|删掉|删了|去掉"),
    phrase(Chinese, Launch, "把|将", "打开|启动|运行"),
    phrase(Chinese, Stop, "把|将", "停止|关闭|关掉|退出"),
    phrase(Chinese, Launch, "打开|启动|运行|开始", ""),
    phrase(Chinese, Stop, "停止|关闭|退出", ""),
];

/// The English menu phrases without articles; every form of "application" is `app`.
pub(super) const ENGLISH_MENU_PHRASES: &[(MenuCommand, &str)] = &[
    (MenuCommand::Start, "open|show|start|launch|manage? app manager|menu|registry"),
    (MenuCommand::Start, "manage|administer registered? app"),
    (MenuCommand::Start, "open|show? app management"),
    (MenuCommand::Add, "add|register new? app"),
    (MenuCommand::Edit, "edit|change|modify app"),
    (MenuCommand::Delete, "delete|remove|unregister app"),
    (MenuCommand::Policy, "change|edit|set app launch? policy"),
    (MenuCommand::Validate, "validate|check app? registry"),
    (MenuCommand::List, "who can|may run|launch|start|open this|that|these|those app"),
    (MenuCommand::List, "list|show|view registered? app"),
    (MenuCommand::List, "what|which app are registered"),
];

/// The Chinese menu phrases, with 应用程序 and 软件 shortened to 应用, and particles removed.
pub(super) const CHINESE_MENU_PHRASES: &[(MenuCommand, &[&str])] = &[
    (
        MenuCommand::Start,
        &[
            "应用管理器",
            "打开应用管理器",
            "显示应用管理器",
            "启动应用管理器",
            "应用注册表",
            "打开应用注册表",
            "显示应用注册表",
            "应用菜单",
            "管理应用",
            "管理已注册应用",
            "管理应用注册表",
            "应用管理",
            "打开应用管理",
        ],
    ),
    (MenuCommand::Add, &["注册应用", "添加应用", "新增应用", "登记应用"]),
    (MenuCommand::Edit, &["编辑应用", "修改应用"]),
    (MenuCommand::Delete, &["删除应用", "移除应用"]),
    (
        MenuCommand::Policy,
        &["更改应用策略", "修改应用策略", "编辑应用策略", "更改应用启动策略", "更改启动策略"],
    ),
    (MenuCommand::Validate, &["验证注册表", "验证应用注册表", "校验注册表", "校验应用注册表"]),
    (
        MenuCommand::List,
        &[
            "谁可以运行此应用",
            "谁可以运行这个应用",
            "谁可以运行这些应用",
            "谁能运行此应用",
            "谁能运行这个应用",
            "谁能运行这些应用",
            "谁可以启动此应用",
            "谁可以启动这个应用",
            "列出已注册应用",
            "列出应用",
            "列出所有应用",
            "显示应用",
            "查看应用",
            "显示已注册应用",
            "查看已注册应用",
        ],
    ),
];

/// The number of words at the start that fill all slots.
pub(super) fn match_start(words: &[Word<'_>], slots: &str) -> Option<usize> {
    let mut at = 0;
    for slot in slots.split(' ').filter(|slot| !slot.is_empty()) {
        let (choices, is_optional) = slot.strip_suffix('?').map_or((slot, false), |slot| (slot, true));
        match choices.split('|').find_map(|choice| match_choice(&words[at..], choice)) {
            Some(taken) => at += taken,
            None if is_optional => {}
            None => return None,
        }
    }
    Some(at)
}

/// Whether the words fill all slots exactly.
pub(super) fn match_whole(words: &[Word<'_>], slots: &str) -> bool {
    match_start(words, slots) == Some(words.len())
}

/// The number of words that a choice consists of: in Chinese, one for each character.
fn match_choice(words: &[Word<'_>], choice: &str) -> Option<usize> {
    let mut rest = choice;
    for (at, word) in words.iter().enumerate() {
        rest = rest.strip_prefix(word.text)?;
        if rest.is_empty() {
            return Some(at + 1);
        }
    }
    None
}
