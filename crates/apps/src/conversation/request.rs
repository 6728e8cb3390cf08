//! Recognises messages for the Application Manager, in English and Chinese: menu phrases, and a verb with the name of an app.
//! Whether the app exists is not checked here.

use super::language::Language;
use crate::filler::{possible_starts, without_filler};
use crate::fold::{Word, fold, words};

/// A command of the menu, and the phrase for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuCommand {
    /// The start screen.
    Start,
    /// The list with policies, then the start screen.
    List,
    /// Adding an app.
    Add,
    /// Editing an app.
    Edit,
    /// Deleting an app.
    Delete,
    /// Changing a launch policy.
    Policy,
    /// Checking the registry.
    Validate,
}

/// The verb of a request for an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AppVerb {
    /// Launch it.
    Launch,
    /// Stop it.
    Stop,
    /// Show its entry.
    Show,
}

/// A message that may be for the Application Manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatRequest {
    /// A menu phrase.
    Menu(MenuCommand),
    /// A verb and the folded text after it, which may be the name of an app.
    App(AppVerb, String),
}

/// Parses a message into a request and its language.
///
/// ```
/// use tarsus_apps::conversation::{AppVerb, ChatRequest, Language, MenuCommand, parse_request};
///
/// assert_eq!(parse_request("Please open the Application Manager!"), Some((Language::English, ChatRequest::Menu(MenuCommand::Start))));
/// assert_eq!(parse_request("打开 Last Z"), Some((Language::Chinese, ChatRequest::App(AppVerb::Launch, "last z".into()))));
/// assert_eq!(parse_request("what is the weather"), None);
/// ```
#[must_use]
pub fn parse_request(message: &str) -> Option<(Language, ChatRequest)> {
    if message.len() > MAX_MESSAGE_BYTES {
        return None;
    }
    let folded = fold(message);
    let spoken = words(&folded);
    let parts = without_filler(&spoken);
    let mut phrases = parts.into_iter().filter(|part| part.len() <= MAX_PHRASE_WORDS);
    phrases
        .find_map(|part| parse_phrase(&spoken[part]))
        // The search for the app ignores filler words after the name.
        .or_else(|| {
            possible_starts(&spoken)
                .into_iter()
                .find_map(|start| parse_app_request(&spoken[start..], &folded))
        })
}

/// Longest message that can be a request, in bytes.
const MAX_MESSAGE_BYTES: usize = 1_000;

/// Longest menu phrase, in words.
const MAX_PHRASE_WORDS: usize = 24;

fn parse_phrase(words: &[Word<'_>]) -> Option<(Language, ChatRequest)> {
    let english = english_phrase(words).map(|jump| (Language::English, jump));
    let found = english.or_else(|| chinese_phrase(words).map(|jump| (Language::Chinese, jump)));
    found.map(|(language, jump)| (language, ChatRequest::Menu(jump)))
}

fn parse_app_request(words: &[Word<'_>], folded: &str) -> Option<(Language, ChatRequest)> {
    VERBS.iter().find_map(|(language, verb, text)| {
        let name = folded[end_of(text, words)?..].trim();
        (!name.is_empty()).then(|| (*language, ChatRequest::App(*verb, name.to_owned())))
    })
}

/// The end of the verb that the words start with.
fn end_of(text: &str, words: &[Word<'_>]) -> Option<usize> {
    let mut rest = text;
    for word in words {
        rest = rest.strip_prefix(word.text)?.trim_start();
        if rest.is_empty() {
            return Some(word.end);
        }
    }
    None
}

/// The verbs in each language.
const VERBS: &[(Language, AppVerb, &str)] = &[
    (Language::English, AppVerb::Launch, "open"),
    (Language::English, AppVerb::Launch, "launch"),
    (Language::English, AppVerb::Launch, "run"),
    (Language::English, AppVerb::Launch, "start"),
    (Language::English, AppVerb::Stop, "stop"),
    (Language::English, AppVerb::Stop, "close"),
    (Language::English, AppVerb::Stop, "quit"),
    (Language::English, AppVerb::Stop, "exit"),
    (Language::English, AppVerb::Show, "show details of"),
    (Language::English, AppVerb::Show, "details of"),
    (Language::Chinese, AppVerb::Launch, "打开"),
    (Language::Chinese, AppVerb::Launch, "启动"),
    (Language::Chinese, AppVerb::Launch, "运行"),
    (Language::Chinese, AppVerb::Launch, "开始"),
    (Language::Chinese, AppVerb::Stop, "停止"),
    (Language::Chinese, AppVerb::Stop, "关闭"),
    (Language::Chinese, AppVerb::Stop, "退出"),
    (Language::Chinese, AppVerb::Show, "详情"),
];

/// The English menu phrases after folding. `a|b` are alternatives, `?` makes a word optional; articles are removed, and
/// every form of "application" is `app`.
const ENGLISH: &[(MenuCommand, &str)] = &[
    (MenuCommand::Start, "open|show|start|launch? app manager|menu|registry"),
    (MenuCommand::Add, "add|register new? app"),
    (MenuCommand::Edit, "edit|change app"),
    (MenuCommand::Delete, "delete|remove|unregister app"),
    (MenuCommand::Policy, "change|edit|set app launch? policy"),
    (MenuCommand::Validate, "validate app? registry"),
    (MenuCommand::List, "who can|may run|launch|start|open this|that|these|those app"),
    (MenuCommand::List, "list|show registered app"),
    (MenuCommand::List, "list app"),
];

fn english_phrase(words: &[Word<'_>]) -> Option<MenuCommand> {
    let words: Vec<&str> = words
        .iter()
        .map(|word| word.text)
        .filter(|word| !matches!(*word, "the" | "a" | "an" | "my" | "me" | "all"))
        .map(|word| match word {
            "apps" | "application" | "applications" => "app",
            "registries" => "registry",
            "policies" => "policy",
            _ => word,
        })
        .collect();
    ENGLISH.iter().find(|(_, phrase)| fits(&words, phrase)).map(|(jump, _)| *jump)
}

fn fits(words: &[&str], phrase: &str) -> bool {
    let mut words = words.iter().peekable();
    for slot in phrase.split(' ') {
        let (slot, optional) = slot.strip_suffix('?').map_or((slot, false), |slot| (slot, true));
        let here = words.next_if(|word| slot.split('|').any(|choice| choice == **word)).is_some();
        if !here && !optional {
            return false;
        }
    }
    words.next().is_none()
}

/// The Chinese menu phrases, with 应用程序 and 软件 shortened to 应用, and particles removed.
const CHINESE: &[(MenuCommand, &[&str])] = &[
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
            "显示已注册应用",
        ],
    ),
];

fn chinese_phrase(words: &[Word<'_>]) -> Option<MenuCommand> {
    let mut phrase: String = words.iter().map(|word| word.text).collect();
    for (from, to) in
        [("应用程序", "应用"), ("软件", "应用"), ("的", ""), ("一个", ""), ("一下", ""), ("新应用", "应用")]
    {
        phrase = phrase.replace(from, to);
    }
    CHINESE.iter().find(|(_, phrases)| phrases.contains(&phrase.as_str())).map(|(jump, _)| *jump)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jump(message: &str) -> Option<MenuCommand> {
        match parse_request(message) {
            Some((_, ChatRequest::Menu(jump))) => Some(jump),
            _ => None,
        }
    }

    #[test]
    fn every_menu_phrase_is_recognised() {
        let table: &[(&str, MenuCommand)] = &[
            ("application manager", MenuCommand::Start),
            ("open application manager", MenuCommand::Start),
            ("show application manager", MenuCommand::Start),
            ("application registry", MenuCommand::Start),
            ("open application registry", MenuCommand::Start),
            ("show application registry", MenuCommand::Start),
            ("app registry", MenuCommand::Start),
            ("register an application", MenuCommand::Add),
            ("add application", MenuCommand::Add),
            ("edit application", MenuCommand::Edit),
            ("change application policy", MenuCommand::Policy),
            ("who can run this app", MenuCommand::List),
            ("list registered apps", MenuCommand::List),
            ("Could you please open the Application Manager?!", MenuCommand::Start),
            ("  \"APP   MANAGER\".  ", MenuCommand::Start),
            ("add a new app, please", MenuCommand::Add),
            ("register applications", MenuCommand::Add),
            ("remove an app", MenuCommand::Delete),
            ("delete application", MenuCommand::Delete),
            ("validate the registry", MenuCommand::Validate),
            ("validate the application registry", MenuCommand::Validate),
            ("change app policies", MenuCommand::Policy),
            ("who can run these apps?", MenuCommand::List),
            ("list all registered applications", MenuCommand::List),
            ("Ａｐｐ Ｍａｎａｇｅｒ", MenuCommand::Start),
            ("应用程序管理器", MenuCommand::Start),
            ("打开应用程序管理器", MenuCommand::Start),
            ("显示应用程序管理器", MenuCommand::Start),
            ("应用程序注册表", MenuCommand::Start),
            ("打开应用程序注册表", MenuCommand::Start),
            ("显示应用程序注册表", MenuCommand::Start),
            ("应用注册表", MenuCommand::Start),
            ("注册应用程序", MenuCommand::Add),
            ("添加应用程序", MenuCommand::Add),
            ("编辑应用程序", MenuCommand::Edit),
            ("更改应用程序策略", MenuCommand::Policy),
            ("谁可以运行此应用", MenuCommand::List),
            ("列出已注册的应用", MenuCommand::List),
            ("请帮我打开一下应用程序管理器吧！", MenuCommand::Start),
            ("添加一个新的应用", MenuCommand::Add),
            ("删除应用", MenuCommand::Delete),
            ("验证注册表。", MenuCommand::Validate),
        ];
        for (message, expected) in table {
            assert_eq!(jump(message), Some(*expected), "{message}");
        }
    }

    #[test]
    fn ordinary_sentences_are_not_menu_phrases() {
        for message in [
            "",
            "  ",
            "?!",
            "app",
            "registry",
            "the application",
            "add an application to my resume",
            "how do I write an application registry in rust",
            "manager",
            "edit the file",
            "应用",
            "写一个应用程序管理器",
            "validate",
            "list the files",
            "who can run",
        ] {
            assert_eq!(jump(message), None, "{message}");
        }
    }

    #[test]
    fn verb_and_name_are_a_request_in_its_language() {
        use AppVerb::{Launch, Show, Stop};
        use Language::{Chinese, English};
        let table: &[(&str, Language, AppVerb, &str)] = &[
            ("open last z", English, Launch, "last z"),
            ("Launch Last Z", English, Launch, "last z"),
            ("RUN last z", English, Launch, "last z"),
            ("start last z.", English, Launch, "last z."),
            ("please can you open last z for me, thanks!", English, Launch, "last z for me, thanks!"),
            ("stop Last Z", English, Stop, "last z"),
            ("close last z", English, Stop, "last z"),
            ("quit last z", English, Stop, "last z"),
            ("exit last z", English, Stop, "last z"),
            ("open 微信", English, Launch, "微信"),
            ("details of Last Z", English, Show, "last z"),
            ("show details of last z", English, Show, "last z"),
            ("打开 last z", Chinese, Launch, "last z"),
            ("启动last z", Chinese, Launch, "last z"),
            ("运行微信", Chinese, Launch, "微信"),
            ("开始 last z", Chinese, Launch, "last z"),
            ("请帮我打开一下微信吧", Chinese, Launch, "一下微信吧"),
            ("停止微信", Chinese, Stop, "微信"),
            ("关闭 微信。", Chinese, Stop, "微信。"),
            ("退出微信", Chinese, Stop, "微信"),
            ("详情 Last Z", Chinese, Show, "last z"),
        ];
        for (message, language, verb, name) in table {
            assert_eq!(
                parse_request(message),
                Some((*language, ChatRequest::App(*verb, (*name).to_owned()))),
                "{message}"
            );
        }
    }

    #[test]
    fn verb_alone_or_inside_a_word_is_no_request() {
        for message in ["open", "quit", "退出", "opening night", "runner", "startle", "please", "请"] {
            assert_eq!(parse_request(message), None, "{message}");
        }
    }

    #[test]
    fn long_name_is_parsed_and_filler_alone_is_no_request() {
        let name = "微信".repeat(80);
        let request = ChatRequest::App(AppVerb::Launch, name.clone());
        assert_eq!(parse_request(&format!("请打开{name}")), Some((Language::Chinese, request)));
        assert_eq!(parse_request(&format!("{}打开微信", "请".repeat(200))), None);
        assert_eq!(parse_request(&"请".repeat(333)), None);
        assert_eq!(parse_request(&format!("{}open last z", "please ".repeat(100))), None);
    }
}
