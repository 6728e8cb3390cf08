//! The faults of an entry in the language of the conversation.

use tarsus_protocol::apps_fault::ValueKind;

use super::language::Language;
use crate::AppFault;
use crate::validate::key;

/// Words of a language for faults.
pub(super) struct FaultTexts(pub(super) Language);

impl FaultTexts {
    /// Faults in one line.
    pub(super) fn list(&self, faults: &[AppFault]) -> String {
        let texts: Vec<String> = faults.iter().take(MAX_FAULTS).map(|fault| self.one(fault)).collect();
        texts.join(match self.0 {
            Language::English => "; ",
            Language::Chinese => "；",
        })
    }

    fn one(&self, fault: &AppFault) -> String {
        match self.0 {
            Language::English => fault.to_string(),
            Language::Chinese => chinese(fault),
        }
    }
}

/// Most faults shown for one entry, which may list a million invalid agents.
const MAX_FAULTS: usize = 20;

fn chinese(fault: &AppFault) -> String {
    match fault {
        AppFault::NotAnObject { found } => format!("条目是{}，不是对象", kind(*found)),
        AppFault::NotText { field, found } => format!("{field} 是{}，不是字符串", kind(*found)),
        AppFault::UnknownMode { mode } => format!("mode 是 {mode:?}，不是 full、allowlist 或 off"),
        AppFault::AgentsNotAList { found } => format!("allowed_agents 是{}，不是列表", kind(*found)),
        AppFault::AgentNotText { position, found } => {
            format!("allowed_agents 的第 {position} 项是{}，不是字符串", kind(*found))
        }
        AppFault::Missing { field } if field == key::LAUNCH_PATH => format!("缺少 {field}，或其为空"),
        AppFault::Missing { field } => format!("缺少 {field}"),
        AppFault::NobodyListed => "mode 是 allowlist，但 allowed_agents 为空".to_owned(),
        AppFault::AgentsLeftOver { mode } => format!("mode 是 {mode}，但 allowed_agents 列出了智能体"),
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
