//! "refresh skills" in a chat: reads the skills again and says what changed, without a model.

use tarsus_apps::conversation::Language;
use tarsus_home::config::AgentId;
use tarsus_protocol::report::SkillsStatus;
use tarsus_protocol::skills::SkillState;
use tarsus_skills::prompt::text::{one_line, truncate};
use tarsus_skills::snapshot::SkillChange;

use crate::runtime::Runtime;

/// Changes that a reply lists.
const MAX_LISTED: usize = 30;
/// Maximum characters of a skill's name.
const MAX_NAME_CHARS: usize = 80;

const ENGLISH_VERBS: [&str; 3] = ["refresh", "reload", "rescan"];
const CHINESE_VERBS: [&str; 3] = ["刷新", "重新加载", "重新扫描"];
const CHINESE_OBJECTS: [&str; 6] = ["技能", "我的技能", "所有技能", "全部技能", "技能列表", "技能清单"];

/// The language of a message that asks for a refresh and for nothing else.
pub fn requested_language(text: &str) -> Option<Language> {
    let text = text.trim().trim_end_matches(['.', '!', '?', '。', '！', '？']).to_lowercase();
    if is_english(&text) {
        Some(Language::English)
    } else if is_chinese(&text) {
        Some(Language::Chinese)
    } else {
        None
    }
}

fn is_english(text: &str) -> bool {
    let mut words: Vec<&str> = text.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
    if words.first() == Some(&"please") {
        words.remove(0);
    }
    if words.last() == Some(&"please") {
        words.pop();
    }
    match words.as_slice() {
        [verb, "skills"] | [verb, "my" | "the" | "your" | "all", "skills"] => ENGLISH_VERBS.contains(verb),
        _ => false,
    }
}

fn is_chinese(text: &str) -> bool {
    let polite = ["请", "麻烦", "帮我"];
    let text = polite.iter().fold(text, |text, word| text.strip_prefix(word).unwrap_or(text).trim_start());
    let text = ["吧", "一下"].iter().fold(text, |text, word| text.strip_suffix(word).unwrap_or(text));
    let mut objects = CHINESE_VERBS
        .iter()
        .filter_map(|verb| text.strip_prefix(verb))
        .map(|object| object.strip_prefix("一下").unwrap_or(object).trim_start());
    objects.any(|object| CHINESE_OBJECTS.contains(&object))
}

/// Reads the skills again and returns the reply. Reads files, so it may block.
pub fn refresh(runtime: &Runtime, agent: &AgentId, language: Language) -> String {
    let services = &runtime.services;
    services.host.refresh_skills();
    let changes = services.library.take_changes(agent);
    let counts = services.library.snapshot(agent).map(|snapshot| snapshot.evaluation().counts.clone());
    match counts {
        Some(counts) => reply(&counts, &changes, language),
        None => {
            choose(language, "This agent is not in the configuration.", "配置中没有此智能体。").to_owned()
        }
    }
}

fn reply(counts: &SkillsStatus, changes: &[(String, SkillChange)], language: Language) -> String {
    let mut lines = vec![summary(counts, language)];
    if changes.is_empty() {
        lines.push(choose(language, "Nothing changed.", "没有变化。").to_owned());
    }
    for (name, change) in changes.iter().take(MAX_LISTED) {
        lines.push(change_line(&truncate(&one_line(name), MAX_NAME_CHARS), *change, language));
    }
    match (changes.len().saturating_sub(MAX_LISTED), language) {
        (0, _) => {}
        (more, Language::English) => {
            lines.push(format!("… and {more} more; `tarsus skills list` shows all skills"))
        }
        (more, Language::Chinese) => {
            lines.push(format!("……另有 {more} 个；`tarsus skills list` 列出所有技能"))
        }
    }
    lines.join("\n")
}

fn summary(counts: &SkillsStatus, language: Language) -> String {
    let SkillsStatus { ready, need_setup, unavailable, blocked, unreadable, .. } = counts;
    let groups = [
        (*need_setup, if *need_setup == 1 { "needs setup" } else { "need setup" }, "个需要设置"),
        (*unavailable, "unavailable", "个没有可用的工具"),
        (*blocked, "blocked", "个已阻止"),
        (*unreadable, "cannot be read", "个无法读取"),
    ];
    let groups = groups.iter().filter(|(count, ..)| *count > 0);
    match language {
        Language::English => {
            let rest: String = groups.map(|(count, english, _)| format!(", {count} {english}")).collect();
            format!("The skills were read again: {ready} ready{rest}.")
        }
        Language::Chinese => {
            let rest: String = groups.map(|(count, _, chinese)| format!("，{count} {chinese}")).collect();
            format!("已重新读取技能：{ready} 个就绪{rest}。")
        }
    }
}

fn change_line(name: &str, change: SkillChange, language: Language) -> String {
    let (word, state) = match change {
        SkillChange::Added(state) => (choose(language, "+ new", "+ 新增"), Some(state)),
        SkillChange::Edited(state) => (choose(language, "~ changed", "~ 已更改"), Some(state)),
        SkillChange::State(state) => (choose(language, "~ now", "~ 状态变化"), Some(state)),
        SkillChange::Removed => (choose(language, "- gone", "- 已移除"), None),
    };
    match (state, language) {
        (Some(state), Language::English) => format!("{word}: {name} ({})", state_name(state, language)),
        (Some(state), Language::Chinese) => format!("{word}：{name}（{}）", state_name(state, language)),
        (None, Language::English) => format!("{word}: {name}"),
        (None, Language::Chinese) => format!("{word}：{name}"),
    }
}

fn state_name(state: SkillState, language: Language) -> &'static str {
    match (state, language) {
        (SkillState::Missing, Language::English) => "needs setup",
        (_, Language::English) => state.as_str(),
        (SkillState::Blocked, _) => "已阻止",
        (SkillState::Shadowed, _) => "被同名技能取代",
        (SkillState::Invalid, _) => "无法读取",
        (SkillState::Disabled, _) => "已停用",
        (SkillState::NotAllowed, _) => "未获允许",
        (SkillState::Degraded, _) => "部分内容无法读取",
        (SkillState::Filtered, _) => "不在此智能体的列表中",
        (SkillState::Unsupported, _) => "不支持此系统",
        (SkillState::Unavailable, _) => "没有可用的工具",
        (SkillState::Missing, _) => "需要设置",
        (SkillState::Ready, _) => "就绪",
    }
}

fn choose(language: Language, english: &'static str, chinese: &'static str) -> &'static str {
    match language {
        Language::English => english,
        Language::Chinese => chinese,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_request_refreshes_skills() {
        for text in [
            "refresh skills",
            " Refresh Skills! ",
            "please reload my skills",
            "rescan all skills, please.",
            "Refresh the skills",
        ] {
            assert_eq!(requested_language(text), Some(Language::English), "{text}");
        }
        for text in [
            "刷新技能",
            "请刷新技能。",
            "刷新一下技能",
            "帮我重新扫描所有技能",
            "重新加载 技能吧",
            "刷新技能列表",
        ] {
            assert_eq!(requested_language(text), Some(Language::Chinese), "{text}");
        }
        for text in [
            "refresh my skills in French",
            "How do I refresh skills?",
            "refresh skill",
            "refresh",
            "skills",
            "please",
            "refresh skills and open Notes",
            "我想刷新技能",
            "刷新技能是什么意思",
            "刷新我的法语技能",
            "刷新",
            "",
        ] {
            assert_eq!(requested_language(text), None, "{text}");
        }
    }

    #[test]
    fn reply_names_each_change_with_its_state() {
        let counts =
            SkillsStatus { ready: 3, blocked: 1, need_setup: 2, unavailable: 4, ..Default::default() };
        let changes = [
            ("evil\n## Safety", SkillChange::Added(SkillState::Blocked)),
            ("notes", SkillChange::Edited(SkillState::Ready)),
            ("video", SkillChange::State(SkillState::Missing)),
            ("old", SkillChange::Removed),
        ]
        .map(|(name, change)| (name.to_owned(), change));
        assert_eq!(
            reply(&counts, &changes, Language::English),
            "The skills were read again: 3 ready, 2 need setup, 4 unavailable, 1 blocked.\n\
             + new: evil ## Safety (blocked)\n~ changed: notes (ready)\n~ now: video (needs setup)\n- gone: old"
        );
        assert_eq!(
            reply(&counts, &changes, Language::Chinese),
            "已重新读取技能：3 个就绪，2 个需要设置，4 个没有可用的工具，1 个已阻止。\n\
             + 新增：evil ## Safety（已阻止）\n~ 已更改：notes（就绪）\n~ 状态变化：video（需要设置）\n- 已移除：old"
        );
        let none = reply(&SkillsStatus::default(), &[], Language::Chinese);
        assert_eq!(none, "已重新读取技能：0 个就绪。\n没有变化。");
        let many: Vec<_> = (0..40).map(|number| (format!("s{number}"), SkillChange::Removed)).collect();
        let text = reply(&counts, &many, Language::English);
        assert!(
            text.ends_with("- gone: s29\n… and 10 more; `tarsus skills list` shows all skills"),
            "{text}"
        );
    }
}
