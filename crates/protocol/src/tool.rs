//! The tools, and the tier of each: one table that defines both.
//!
//! It holds every name that OpenClaw's configuration accepts, including tools that the agent does not have yet. A name
//! outside of the table has no tier and is denied while community skills restrict calls.

use crate::capability::Capability;

/// Requirement of a tool while a community skill restricts calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolTier {
    /// Denied, whatever is granted.
    Denied,
    /// Allowed with this capability.
    Needs(Capability),
    /// The tool is allowed without a capability.
    Allowed,
}

macro_rules! tools {
    ($($tier:expr => { $($name:ident = $text:literal,)* })*) => {
        /// A tool.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "each is the name of a tool")]
        pub enum ToolId { $($($name,)*)* }

        impl ToolId {
            /// Every tool, in the order of the table.
            pub const ALL: &[Self] = &[$($(Self::$name,)*)*];

            /// The name that models and configurations use.
            #[must_use]
            pub const fn name(self) -> &'static str { match self { $($(Self::$name => $text,)*)* } }

            /// The tool with this exact name: `Exec` is not `exec`.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($($text => Some(Self::$name),)*)* _ => None }
            }

            /// The tool's tier.
            #[must_use]
            pub const fn tier(self) -> ToolTier { match self { $($(Self::$name => $tier,)*)* } }
        }
    };
}

tools! {
    ToolTier::Denied => {
        Gateway = "gateway",
        Nodes = "nodes",
    }
    ToolTier::Needs(Capability::Shell) => {
        Exec = "exec",
        Process = "process",
        AppLaunch = "app_launch",
        AppStop = "app_stop",
        AppPropose = "app_propose",
    }
    ToolTier::Needs(Capability::Filesystem) => {
        Write = "write",
        Edit = "edit",
        ApplyPatch = "apply_patch",
    }
    ToolTier::Needs(Capability::Network) => {
        WebFetch = "web_fetch",
        WebSearch = "web_search",
    }
    ToolTier::Needs(Capability::Browser) => {
        Browser = "browser",
    }
    ToolTier::Needs(Capability::Sessions) => {
        SessionsSpawn = "sessions_spawn",
        SessionsSend = "sessions_send",
        Subagents = "subagents",
    }
    ToolTier::Needs(Capability::Messaging) => {
        Message = "message",
    }
    ToolTier::Needs(Capability::Scheduling) => {
        Cron = "cron",
    }
    ToolTier::Allowed => {
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

impl Capability {
    /// The tools that do what the capability is about. Those of the Application Manager need `shell`, but they run no
    /// commands, so they are not among its tools.
    pub fn tools(self) -> impl Iterator<Item = ToolId> {
        let is_own = move |tool: &ToolId| tool.tier() == ToolTier::Needs(self) && !tool.is_about_apps();
        ToolId::ALL.iter().copied().filter(is_own)
    }
}

impl ToolId {
    const fn is_about_apps(self) -> bool {
        matches!(self, Self::AppLaunch | Self::AppStop | Self::AppPropose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_is_found_by_its_exact_name() {
        for tool in ToolId::ALL {
            assert_eq!(ToolId::from_name(tool.name()), Some(*tool));
            assert_eq!(ToolId::from_name(&tool.name().to_uppercase()), None);
        }
        for name in ["", "exec ", "bash", "exec\0", "mcp__exec"] {
            assert_eq!(ToolId::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn every_capability_has_tools_and_app_tools_are_no_shell() {
        let names = |capability: Capability| capability.tools().map(ToolId::name).collect::<Vec<_>>();
        assert_eq!(names(Capability::Shell), ["exec", "process"]);
        assert_eq!(names(Capability::Network), ["web_fetch", "web_search"]);
        for capability in Capability::ALL {
            assert!(capability.tools().next().is_some(), "{capability}");
        }
    }

    #[test]
    fn name_of_a_tool_is_an_alias_of_its_capability() {
        for tool in ToolId::ALL {
            let ToolTier::Needs(capability) = tool.tier() else { continue };
            assert_eq!(Capability::named(tool.name()), Some(capability), "{}", tool.name());
        }
    }
}
