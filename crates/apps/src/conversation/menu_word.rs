//! The words that a person may type instead of pressing a button of a menu. The buttons themselves send the first form.

use super::answers::plain;
use super::language::Language;

/// A word with a fixed meaning on the screens that offer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MenuWord {
    Create,
    Add,
    Edit,
    Delete,
    Policy,
    Validate,
    Back,
    Quit,
    Yes,
    No,
    Keep,
    Skip,
    Clear,
    Full,
    Allowlist,
    Off,
}

use MenuWord::{
    Add, Allowlist, Back, Clear, Create, Delete, Edit, Full, Keep, No, Off, Policy, Quit, Skip, Validate, Yes,
};

/// Each word with its forms: those of buttons and scripts, which belong to no language, and the Chinese ones.
const WORDS: &[(MenuWord, &[&str], &[&str])] = &[
    (Create, &["create"], &["创建", "新建"]),
    (Add, &["add"], &["添加", "新增", "注册"]),
    (Edit, &["edit"], &["编辑", "修改"]),
    (Delete, &["delete"], &["删除", "移除"]),
    (Policy, &["policy"], &["策略", "更改策略", "启动策略"]),
    (Validate, &["validate"], &["验证", "校验"]),
    (Back, &["back"], &["返回"]),
    (Quit, &["quit", "exit"], &["退出"]),
    (Yes, &["yes", "y"], &["是", "是的", "好", "好的", "确认", "确定"]),
    (No, &["no", "n", "cancel"], &["否", "不", "不要", "不用", "取消"]),
    (Keep, &["keep"], &["保留"]),
    (Skip, &["skip"], &["跳过"]),
    (Clear, &["clear"], &["清除"]),
    (Full, &["full"], &["全部", "全部允许"]),
    (Allowlist, &["allowlist"], &["白名单", "允许列表"]),
    (Off, &["off"], &["关闭"]),
];

impl MenuWord {
    /// The word that a line consists of, and its language if it has one.
    pub(super) fn parse(line: &str) -> Option<(Self, Option<Language>)> {
        let line = plain(line);
        let line = line.as_str();
        WORDS.iter().find_map(|(word, machine, chinese)| {
            let language = chinese.contains(&line).then_some(Language::Chinese);
            (language.is_some() || machine.contains(&line)).then_some((*word, language))
        })
    }

    /// The form that a button sends.
    pub(super) fn reply(self) -> &'static str {
        let forms = WORDS.iter().find(|(word, ..)| *word == self).and_then(|(_, machine, _)| machine.first());
        forms.copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_typed_in_both_languages() {
        for (word, machine, chinese) in WORDS {
            assert_eq!(word.reply(), machine[0]);
            for form in *machine {
                assert_eq!(MenuWord::parse(&format!(" {}! ", form.to_uppercase())), Some((*word, None)));
            }
            for form in *chinese {
                assert_eq!(MenuWord::parse(&format!("{form}。")), Some((*word, Some(Language::Chinese))));
            }
            assert!(!chinese.is_empty(), "{word:?}");
        }
    }

    #[test]
    fn consent_is_one_explicit_word() {
        for text in ["yes", "Y", " YES! ", "是", "是的。", "好的", "确认", "ｙｅｓ"] {
            assert_eq!(MenuWord::parse(text).map(|(word, _)| word), Some(Yes), "{text}");
        }
        for text in ["no", "N", "cancel", "否", "不要", "取消"] {
            assert_eq!(MenuWord::parse(text).map(|(word, _)| word), Some(No), "{text}");
        }
        for text in ["", "yes but", "y es", "no, yes", "maybe", "sure", "yess", "1", "不是", "save"] {
            assert_eq!(MenuWord::parse(text), None, "{text}");
        }
    }
}
