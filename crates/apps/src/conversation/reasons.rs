//! What is wrong with an entry, in the language of the conversation.

use tarsus_protocol::apps_fault::ValueKind;

use super::language::Language;
use crate::validate::{Reason, short};

/// Says reasons in a language.
pub(super) struct Reasons(pub(super) Language);

impl Reasons {
    /// Several, in one line.
    pub(super) fn list(&self, reasons: &[Reason]) -> String {
        let reasons: Vec<String> = reasons.iter().take(MOST).map(|reason| self.one(reason)).collect();
        reasons.join(match self.0 {
            Language::English => "; ",
            Language::Chinese => "；",
        })
    }

    fn one(&self, reason: &Reason) -> String {
        match self.0 {
            Language::English => reason.to_string(),
            Language::Chinese => chinese(reason),
        }
    }
}

/// Reasons of one entry that are told: an entry may hold a million wrong agents.
const MOST: usize = 20;

fn chinese(reason: &Reason) -> String {
    match reason {
        Reason::NotAnObject { found } => format!("条目是{}，不是对象", kind(*found)),
        Reason::NotText { field, found } => format!("{field} 是{}，不是字符串", kind(*found)),
        Reason::UnknownMode(mode) => {
            format!("mode 是 {:?}，不是 full、allowlist 或 off", short(mode))
        }
        Reason::AgentsNotAList { found } => format!("allowed_agents 是{}，不是列表", kind(*found)),
        Reason::AgentNotText { position, found } => {
            format!("allowed_agents 的第 {position} 项是{}，不是字符串", kind(*found))
        }
        Reason::Missing { field } => format!("缺少 {field}，或其为空"),
        Reason::NobodyListed => "mode 是 allowlist，但 allowed_agents 为空".to_owned(),
        Reason::AgentsLeftOver { mode } => format!("mode 是 {mode}，但 allowed_agents 列有代理"),
    }
}

const fn kind(found: ValueKind) -> &'static str {
    match found {
        ValueKind::Object => "对象",
        ValueKind::List => "列表",
        ValueKind::String => "字符串",
        ValueKind::Number => "数字",
        ValueKind::Boolean => "布尔值",
        ValueKind::Null => " null",
    }
}
