//! Recognises messages for the Application Manager, in English and Chinese: menu phrases, and a verb with the name of an app.
//! Whether the app exists is not checked here.

use super::language::Language;
use super::phrases::{
    APP_PHRASES, AppPhrase, CHINESE_MENU_PHRASES, ENGLISH_MENU_PHRASES, match_start, match_whole,
};
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
    /// Say who may launch it.
    Who,
    /// Edit its entry.
    Edit,
    /// Change its launch policy.
    Policy,
    /// Delete its entry.
    Delete,
}

/// A message that may be for the Application Manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatRequest {
    /// A menu phrase.
    Menu(MenuCommand),
    /// A verb and the folded text that may be the name of an app.
    App(AppVerb, String),
}

/// Parses a message into a request and its language.
///
/// ```
/// use tarsus_apps::conversation::{AppVerb, ChatRequest, Language, MenuCommand, parse_request};
///
/// assert_eq!(parse_request("Please open the Application Manager!"), Some((Language::English, ChatRequest::Menu(MenuCommand::Start))));
/// assert_eq!(parse_request("打开 Last Z"), Some((Language::Chinese, ChatRequest::App(AppVerb::Launch, "last z".into()))));
/// assert_eq!(parse_request("who can run Last Z?"), Some((Language::English, ChatRequest::App(AppVerb::Who, "last z?".into()))));
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
    let mut phrases = parts.iter().filter(|part| part.len() <= MAX_PHRASE_WORDS);
    phrases.find_map(|part| parse_menu_phrase(&spoken[part.clone()])).or_else(|| {
        let starts = possible_starts(&spoken);
        APP_PHRASES.iter().find_map(|phrase| {
            let name = if phrase.after.is_empty() {
                // The search for the app ignores filler words after the name.
                starts.iter().find_map(|start| name_after(phrase, &spoken[*start..], &folded))
            } else {
                parts.iter().find_map(|part| name_inside(phrase, &spoken[part.clone()], &folded))
            };
            Some((phrase.language, ChatRequest::App(phrase.verb, name?)))
        })
    })
}

/// Longest message that can be a request, in bytes.
const MAX_MESSAGE_BYTES: usize = 1_000;

/// Longest menu phrase, in words.
const MAX_PHRASE_WORDS: usize = 24;

/// Longest part of a phrase behind the name, in words.
const MAX_WORDS_AFTER_NAME: usize = 12;

fn parse_menu_phrase(words: &[Word<'_>]) -> Option<(Language, ChatRequest)> {
    let english = english_phrase(words).map(|command| (Language::English, command));
    let found = english.or_else(|| chinese_phrase(words).map(|command| (Language::Chinese, command)));
    found.map(|(language, command)| (language, ChatRequest::Menu(command)))
}

/// The text after a phrase that ends with the name.
fn name_after(phrase: &AppPhrase, words: &[Word<'_>], folded: &str) -> Option<String> {
    let before = match_start(words, phrase.before)?;
    let name = folded[words[..before].last()?.end..].trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The text inside a phrase that goes on after the name.
fn name_inside(phrase: &AppPhrase, words: &[Word<'_>], folded: &str) -> Option<String> {
    let before = match_start(words, phrase.before)?;
    let first = words.len().saturating_sub(MAX_WORDS_AFTER_NAME).max(before + 1);
    let after = (first..words.len()).find(|at| match_whole(&words[*at..], phrase.after))?;
    let name = folded[words[before].start..words[after - 1].end].trim();
    let name = name.strip_suffix("'s").or_else(|| name.strip_suffix("’s")).unwrap_or(name);
    (!name.is_empty()).then(|| name.to_owned())
}

fn english_phrase(words: &[Word<'_>]) -> Option<MenuCommand> {
    let words: Vec<Word<'_>> = words
        .iter()
        .filter(|word| !matches!(word.text, "the" | "a" | "an" | "my" | "me" | "all"))
        .map(|word| match word.text {
            "apps" | "application" | "applications" => Word { text: "app", ..*word },
            "registries" => Word { text: "registry", ..*word },
            "policies" => Word { text: "policy", ..*word },
            _ => *word,
        })
        .collect();
    ENGLISH_MENU_PHRASES.iter().find(|(_, phrase)| match_whole(&words, phrase)).map(|(command, _)| *command)
}

fn chinese_phrase(words: &[Word<'_>]) -> Option<MenuCommand> {
    let mut phrase: String = words.iter().map(|word| word.text).collect();
    for (from, to) in [
        ("应用程序", "应用"),
        ("软件", "应用"),
        ("我的", ""),
        ("的", ""),
        ("一个", ""),
        ("一下", ""),
        ("新应用", "应用"),
    ] {
        phrase = phrase.replace(from, to);
    }
    CHINESE_MENU_PHRASES
        .iter()
        .find(|(_, phrases)| phrases.contains(&phrase.as_str()))
        .map(|(command, _)| *command)
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
