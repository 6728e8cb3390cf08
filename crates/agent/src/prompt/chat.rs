//! The kind of a session, derived from its key, and the channel of a message.

use tarsus_protocol::hello::SessionDefaults;
use tarsus_store::SessionKey;

/// The surface that a message came from, and that shows the reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Channel {
    /// A page or an app that is connected to the gateway.
    #[default]
    Webchat,
    /// The command line.
    Terminal,
    /// The OpenAI-compatible API.
    Api,
}

impl Channel {
    /// The name in prompts.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Webchat => "webchat",
            Self::Terminal => "terminal",
            Self::Api => "api",
        }
    }

    /// What it shows besides plain text, as far as that is known.
    #[must_use]
    pub const fn capabilities(self) -> &'static [&'static str] {
        match self {
            Self::Webchat => &["markdown"],
            Self::Terminal | Self::Api => &[],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatKind {
    /// The user alone with the agent: the only kind that includes MEMORY.md.
    Main,
    /// One person on a channel.
    Direct,
    /// Several people on a channel.
    Group,
    /// A sub-agent.
    Subagent,
    /// Scheduled work.
    Cron,
}

impl ChatKind {
    /// `main`, `subagent:…`, `cron:…`, `<channel>:<peer>`, or
    /// `<channel>:group:…` and `<channel>:channel:…`.
    #[must_use]
    pub fn for_session(key: &SessionKey) -> Self {
        let mut words = key.name().split(':');
        match (words.next(), words.next()) {
            (Some(SessionDefaults::MAIN_KEY), None) => Self::Main,
            (Some("subagent"), _) => Self::Subagent,
            (Some("cron"), _) => Self::Cron,
            (Some(_), Some("group" | "channel")) => Self::Group,
            _ => Self::Direct,
        }
    }

    /// The `chat_type` of the inbound metadata.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Main | Self::Direct | Self::Subagent | Self::Cron => "direct",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_key_decides_the_chat_kind() {
        for (key, chat) in [
            ("agent:main:main", ChatKind::Main),
            ("agent:ops:main", ChatKind::Main),
            ("agent:main:main:x", ChatKind::Direct),
            ("agent:main:subagent:1b2c", ChatKind::Subagent),
            ("agent:main:cron:nightly", ChatKind::Cron),
            ("agent:main:telegram:42", ChatKind::Direct),
            ("agent:main:telegram:group:42", ChatKind::Group),
            ("agent:main:discord:channel:7", ChatKind::Group),
            ("agent:main:notes", ChatKind::Direct),
        ] {
            assert_eq!(ChatKind::for_session(&key.parse().unwrap()), chat, "{key}");
        }
    }
}
