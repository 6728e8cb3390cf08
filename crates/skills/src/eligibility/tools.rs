//! The tools of an agent, and the capabilities that none of them serves.

use std::collections::BTreeSet;

use tarsus_guard::{DeclaredCapabilities, ToolId, ToolPolicy};

/// The tools that an agent can call: those of this version, apart from those that its tool policy takes away.
#[derive(Debug, Clone)]
pub struct AgentTools<'a> {
    /// The tools that this version has.
    pub built: &'a BTreeSet<ToolId>,
    /// The agent's tool policy.
    pub policy: ToolPolicy,
}

/// Tools of which a skill needs one, none of which the agent can call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnavailableTools {
    /// This version has none of them.
    NotBuilt(Vec<ToolId>),
    /// The agent's tool policy takes them away.
    Denied {
        /// The tools that this version has.
        tools: Vec<ToolId>,
        /// The configuration keys that deny them.
        keys: BTreeSet<String>,
    },
}

impl AgentTools<'_> {
    /// Returns the tools that a declaration needs and the agent cannot call, one value for each capability.
    pub(super) fn unavailable(&self, declared: &DeclaredCapabilities) -> Vec<UnavailableTools> {
        declared.needed_tools().filter_map(|needed| self.check(needed)).collect()
    }

    /// `None` if the agent can call at least one of the tools.
    fn check(&self, needed: Vec<ToolId>) -> Option<UnavailableTools> {
        let tools: Vec<ToolId> = needed.iter().copied().filter(|tool| self.built.contains(tool)).collect();
        if tools.is_empty() {
            return Some(UnavailableTools::NotBuilt(needed));
        }
        let keys: Option<BTreeSet<String>> =
            tools.iter().map(|tool| self.policy.denying_key(*tool)).collect();
        Some(UnavailableTools::Denied { keys: keys?, tools })
    }
}
