//! What a message asks the Application Manager for: its menu, one of its steps, a launch, a stop, details of an app.
//!
//! Recognises the shape only, in English and Chinese; whether the named app exists is for the caller to look up.

use super::language::Language;
use crate::fold::{Word, fold, words};
use crate::polite::{begins, without_polite};

/// A step of the menu that a phrase leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jump {
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

/// What to do with an app that was named in plain words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deed {
    /// Launch it.
    Launch,
    /// Stop it.
    Stop,
    /// Show its entry.
    Show,
}

/// A message that may be for the Application Manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// One of the menu's phrases.
    Menu(Jump),
    /// A verb and what follows it, folded, still to be looked up.
    App(Deed, String),
}

/// Reads a message: what it asks for, and the language it asks in.
///
/// ```
/// use tarsus_apps::conversation::{Deed, Jump, Language, Request, request};
///
/// assert_eq!(request("Please open the Application Manager!"), Some((Language::English, Request::Menu(Jump::Start))));
/// assert_eq!(request("打开 Last Z"), Some((Language::Chinese, Request::App(Deed::Launch, "last z".into()))));
/// assert_eq!(request("what is the weather"), None);
/// ```
#[must_use]
pub fn request(message: &str) -> Option<(Language, Request)> {
    if message.len() > LONGEST {
        return None;
    }
    let folded = fold(message);
    let spoken = words(&folded);
    let ways = without_polite(&spoken);
    let mut phrases = ways.into_iter().filter(|way| way.len() <= LONGEST_PHRASE);
    phrases
        .find_map(|way| phrase(&spoken[way]))
        // Polite words after a name are left to whoever looks for the name.
        .or_else(|| begins(&spoken).into_iter().find_map(|begin| deed(&spoken[begin..], &folded)))
}

/// No message of more bytes is a request: the longest phrase and the longest name are shorter.
const LONGEST: usize = 1_000;

/// No phrase of the menu has more words.
const LONGEST_PHRASE: usize = 24;

fn phrase(words: &[Word<'_>]) -> Option<(Language, Request)> {
    let english = english_phrase(words).map(|jump| (Language::English, jump));
    let found = english.or_else(|| chinese_phrase(words).map(|jump| (Language::Chinese, jump)));
    found.map(|(language, jump)| (language, Request::Menu(jump)))
}

fn deed(words: &[Word<'_>], folded: &str) -> Option<(Language, Request)> {
    VERBS.iter().find_map(|(language, deed, verb)| {
        let asked = folded[end_of(verb, words)?..].trim();
        (!asked.is_empty()).then(|| (*language, Request::App(*deed, asked.to_owned())))
    })
}

/// Where a verb ends that the words begin with.
fn end_of(verb: &str, words: &[Word<'_>]) -> Option<usize> {
    let mut rest = verb;
    for word in words {
        rest = rest.strip_prefix(word.text)?.trim_start();
        if rest.is_empty() {
            return Some(word.end);
        }
    }
    None
}

/// The verbs.
const VERBS: &[(Language, Deed, &str)] = &[
    (Language::English, Deed::Launch, "open"),
    (Language::English, Deed::Launch, "launch"),
    (Language::English, Deed::Launch, "run"),
    (Language::English, Deed::Launch, "start"),
    (Language::English, Deed::Stop, "stop"),
    (Language::English, Deed::Stop, "close"),
    (Language::English, Deed::Stop, "quit"),
    (Language::English, Deed::Stop, "exit"),
    (Language::English, Deed::Show, "show details of"),
    (Language::English, Deed::Show, "details of"),
    (Language::Chinese, Deed::Launch, "打开"),
    (Language::Chinese, Deed::Launch, "启动"),
    (Language::Chinese, Deed::Launch, "运行"),
    (Language::Chinese, Deed::Launch, "开始"),
    (Language::Chinese, Deed::Stop, "停止"),
    (Language::Chinese, Deed::Stop, "关闭"),
    (Language::Chinese, Deed::Stop, "退出"),
    (Language::Chinese, Deed::Show, "详情"),
];

/// The menu's English phrases after folding. `a|b` is one of both, a question mark makes a word optional; articles are gone,
/// and every form of "application" is `app`.
const ENGLISH: &[(Jump, &str)] = &[
    (Jump::Start, "open|show|start|launch? app manager|menu|registry"),
    (Jump::Add, "add|register new? app"),
    (Jump::Edit, "edit|change app"),
    (Jump::Delete, "delete|remove|unregister app"),
    (Jump::Policy, "change|edit|set app launch? policy"),
    (Jump::Validate, "validate app? registry"),
    (Jump::List, "who can|may run|launch|start|open this|that|these|those app"),
    (Jump::List, "list|show registered app"),
    (Jump::List, "list app"),
];

fn english_phrase(words: &[Word<'_>]) -> Option<Jump> {
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

/// The menu's Chinese phrases, with 应用程序 and 软件 shortened to 应用 and small words left out.
const CHINESE: &[(Jump, &[&str])] = &[
    (
        Jump::Start,
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
    (Jump::Add, &["注册应用", "添加应用", "新增应用", "登记应用"]),
    (Jump::Edit, &["编辑应用", "修改应用"]),
    (Jump::Delete, &["删除应用", "移除应用"]),
    (Jump::Policy, &["更改应用策略", "修改应用策略", "编辑应用策略", "更改应用启动策略", "更改启动策略"]),
    (Jump::Validate, &["验证注册表", "验证应用注册表", "校验注册表", "校验应用注册表"]),
    (
        Jump::List,
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

fn chinese_phrase(words: &[Word<'_>]) -> Option<Jump> {
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

    fn jump(message: &str) -> Option<Jump> {
        match request(message) {
            Some((_, Request::Menu(jump))) => Some(jump),
            _ => None,
        }
    }

    #[test]
    fn every_phrase_of_the_menu_leads_to_its_step() {
        let table: &[(&str, Jump)] = &[
            ("application manager", Jump::Start),
            ("open application manager", Jump::Start),
            ("show application manager", Jump::Start),
            ("application registry", Jump::Start),
            ("open application registry", Jump::Start),
            ("show application registry", Jump::Start),
            ("app registry", Jump::Start),
            ("register an application", Jump::Add),
            ("add application", Jump::Add),
            ("edit application", Jump::Edit),
            ("change application policy", Jump::Policy),
            ("who can run this app", Jump::List),
            ("list registered apps", Jump::List),
            ("Could you please open the Application Manager?!", Jump::Start),
            ("  \"APP   MANAGER\".  ", Jump::Start),
            ("add a new app, please", Jump::Add),
            ("register applications", Jump::Add),
            ("remove an app", Jump::Delete),
            ("delete application", Jump::Delete),
            ("validate the registry", Jump::Validate),
            ("validate the application registry", Jump::Validate),
            ("change app policies", Jump::Policy),
            ("who can run these apps?", Jump::List),
            ("list all registered applications", Jump::List),
            ("Ａｐｐ Ｍａｎａｇｅｒ", Jump::Start),
            ("应用程序管理器", Jump::Start),
            ("打开应用程序管理器", Jump::Start),
            ("显示应用程序管理器", Jump::Start),
            ("应用程序注册表", Jump::Start),
            ("打开应用程序注册表", Jump::Start),
            ("显示应用程序注册表", Jump::Start),
            ("应用注册表", Jump::Start),
            ("注册应用程序", Jump::Add),
            ("添加应用程序", Jump::Add),
            ("编辑应用程序", Jump::Edit),
            ("更改应用程序策略", Jump::Policy),
            ("谁可以运行此应用", Jump::List),
            ("列出已注册的应用", Jump::List),
            ("请帮我打开一下应用程序管理器吧！", Jump::Start),
            ("添加一个新的应用", Jump::Add),
            ("删除应用", Jump::Delete),
            ("验证注册表。", Jump::Validate),
        ];
        for (message, expected) in table {
            assert_eq!(jump(message), Some(*expected), "{message}");
        }
    }

    #[test]
    fn ordinary_sentences_are_no_phrase_of_the_menu() {
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
    fn a_verb_and_a_name_ask_for_a_deed_in_the_language_of_the_verb() {
        use Deed::{Launch, Show, Stop};
        use Language::{Chinese, English};
        let table: &[(&str, Language, Deed, &str)] = &[
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
        for (message, language, deed, name) in table {
            assert_eq!(
                request(message),
                Some((*language, Request::App(*deed, (*name).to_owned()))),
                "{message}"
            );
        }
    }

    #[test]
    fn a_verb_alone_or_inside_a_word_asks_for_nothing() {
        for message in ["open", "quit", "退出", "opening night", "runner", "startle", "please", "请"] {
            assert_eq!(request(message), None, "{message}");
        }
    }

    #[test]
    fn a_long_name_is_still_a_name_and_a_wall_of_polite_words_is_no_request() {
        let name = "微信".repeat(80);
        let asked = Request::App(Deed::Launch, name.clone());
        assert_eq!(request(&format!("请打开{name}")), Some((Language::Chinese, asked)));
        assert_eq!(request(&format!("{}打开微信", "请".repeat(200))), None);
        assert_eq!(request(&"请".repeat(333)), None);
        assert_eq!(request(&format!("{}open last z", "please ".repeat(100))), None);
    }
}
