//! The tools, and what each needs while a community skill has a say: one table.
//!
//! Promises: a tool without a row cannot be written down, because the table makes the tools; a name that is no tool of
//! ours is in no tier, and is refused while the table applies. Leaves to others: what a tool does.

use tarsus_protocol::capability::Capability;

/// What a tool needs while a community skill has a say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Refused, whatever is granted.
    Denied,
    /// Allowed with this capability.
    Needs(Capability),
    /// Allowed.
    Allowed,
}

macro_rules! tools {
    ($($tier:expr => { $($name:ident = $text:literal,)* })*) => {
        /// A tool of ours.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "each is the name of a tool")]
        pub enum Tool { $($($name,)*)* }

        impl Tool {
            /// Every tool, in the order of the table.
            pub const ALL: &[Self] = &[$($(Self::$name,)*)*];

            /// The name that models call it by.
            #[must_use]
            pub const fn name(self) -> &'static str { match self { $($(Self::$name => $text,)*)* } }

            /// The tool of a name. Names are exact: `Exec` is not `exec`.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                match name { $($($text => Some(Self::$name),)*)* _ => None }
            }

            /// What it needs.
            #[must_use]
            pub const fn tier(self) -> Tier { match self { $($(Self::$name => $tier,)*)* } }
        }
    };
}

tools! {
    Tier::Denied => {
        Gateway = "gateway",
        Nodes = "nodes",
    }
    Tier::Needs(Capability::Shell) => {
        Exec = "exec",
        Process = "process",
        AppLaunch = "app_launch",
        AppStop = "app_stop",
        AppPropose = "app_propose",
    }
    Tier::Needs(Capability::Filesystem) => {
        Write = "write",
        Edit = "edit",
        ApplyPatch = "apply_patch",
    }
    Tier::Needs(Capability::Network) => {
        WebFetch = "web_fetch",
        WebSearch = "web_search",
    }
    Tier::Needs(Capability::Browser) => {
        Browser = "browser",
    }
    Tier::Needs(Capability::Sessions) => {
        SessionsSpawn = "sessions_spawn",
        SessionsSend = "sessions_send",
        Subagents = "subagents",
    }
    Tier::Needs(Capability::Messaging) => {
        Message = "message",
    }
    Tier::Needs(Capability::Scheduling) => {
        Cron = "cron",
    }
    Tier::Allowed => {
        Read = "read",
        MemorySearch = "memory_search",
        MemoryGet = "memory_get",
        AgentsList = "agents_list",
        SessionsList = "sessions_list",
        SessionsHistory = "sessions_history",
        SessionsYield = "sessions_yield",
        SessionStatus = "session_status",
        Canvas = "canvas",
        Image = "image",
        Tts = "tts",
        AppsList = "apps_list",
        AppStatus = "app_status",
    }
}

impl Tool {
    /// Those that need a capability.
    pub fn needing(capability: Capability) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |tool| tool.tier() == Tier::Needs(capability))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the specification, written down a second time on purpose.
    #[test]
    fn every_tool_is_in_the_row_that_was_agreed() {
        let table: [(Tier, &[&str]); 9] = [
            (Tier::Denied, &["gateway", "nodes"]),
            (Tier::Needs(Capability::Shell), &["exec", "process", "app_launch", "app_stop", "app_propose"]),
            (Tier::Needs(Capability::Filesystem), &["write", "edit", "apply_patch"]),
            (Tier::Needs(Capability::Network), &["web_fetch", "web_search"]),
            (Tier::Needs(Capability::Browser), &["browser"]),
            (Tier::Needs(Capability::Sessions), &["sessions_spawn", "sessions_send", "subagents"]),
            (Tier::Needs(Capability::Messaging), &["message"]),
            (Tier::Needs(Capability::Scheduling), &["cron"]),
            (
                Tier::Allowed,
                &[
                    "read",
                    "memory_search",
                    "memory_get",
                    "agents_list",
                    "sessions_list",
                    "sessions_history",
                    "sessions_yield",
                    "session_status",
                    "canvas",
                    "image",
                    "tts",
                    "apps_list",
                    "app_status",
                ],
            ),
        ];
        let rows: Vec<(Tier, Vec<&str>)> = Tool::ALL
            .chunk_by(|one, other| one.tier() == other.tier())
            .map(|row| (row[0].tier(), row.iter().map(|tool| tool.name()).collect()))
            .collect();
        assert_eq!(rows, table.map(|(tier, names)| (tier, names.to_vec())));
    }

    #[test]
    fn a_tool_is_found_by_its_exact_name_alone() {
        for tool in Tool::ALL {
            assert_eq!(Tool::named(tool.name()), Some(*tool));
            assert_eq!(Tool::named(&tool.name().to_uppercase()), None);
        }
        for name in ["", "exec ", "bash", "exec\0", "mcp__exec"] {
            assert_eq!(Tool::named(name), None, "{name}");
        }
    }
}
