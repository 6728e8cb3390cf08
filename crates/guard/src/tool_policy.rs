//! Which tools an agent has, as `tools` in the configuration says it, for every agent and for this one.
//!
//! Promises: what is denied anywhere is not there; an agent's own words take away from what every agent has, and give
//! nothing back; a name that is no tool gives nothing. Leaves to others: whether a call of a tool that is there may
//! happen.

use tarsus_home::config::Config;
use tarsus_home::config::view::{Agent, ToolOffer, ToolProfile};

use crate::authorize::Said;
use crate::tools::Tool;

/// Tools that belong together, by the names that a configuration calls them by.
pub const GROUPS: &[(&str, &[Tool])] = &[
    ("group:fs", &[Tool::Read, Tool::Write, Tool::Edit, Tool::ApplyPatch]),
    ("group:runtime", &[Tool::Exec, Tool::Process]),
    ("group:web", &[Tool::WebSearch, Tool::WebFetch]),
    ("group:memory", &[Tool::MemorySearch, Tool::MemoryGet]),
    (
        "group:sessions",
        &[
            Tool::SessionsList,
            Tool::SessionsHistory,
            Tool::SessionsSend,
            Tool::SessionsSpawn,
            Tool::SessionsYield,
            Tool::Subagents,
            Tool::SessionStatus,
        ],
    ),
    ("group:apps", &[Tool::AppsList, Tool::AppStatus, Tool::AppLaunch, Tool::AppStop, Tool::AppPropose]),
    ("group:ui", &[Tool::Browser, Tool::Canvas]),
    ("group:messaging", &[Tool::Message]),
    ("group:automation", &[Tool::Cron, Tool::Gateway]),
    ("group:nodes", &[Tool::Nodes]),
    ("group:agents", &[Tool::AgentsList]),
    ("group:media", &[Tool::Image, Tool::Tts]),
];

/// What a profile has, in the words of a list.
const fn members(profile: ToolProfile) -> &'static [&'static str] {
    match profile {
        ToolProfile::Minimal => &["session_status"],
        ToolProfile::Coding => &[
            "group:fs",
            "group:runtime",
            "group:web",
            "group:memory",
            "group:sessions",
            "group:apps",
            "agents_list",
            "cron",
            "image",
        ],
        ToolProfile::Messaging => &[
            "group:messaging",
            "group:apps",
            "sessions_list",
            "sessions_history",
            "sessions_send",
            "session_status",
        ],
        ToolProfile::Full => &["*"],
    }
}

/// Whether a profile has a tool.
#[must_use]
pub fn is_in(profile: ToolProfile, tool: Tool) -> bool {
    members(profile).iter().any(|name| names(name, tool))
}

/// The tools of one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolPolicy {
    /// What holds for every agent, then what holds for this one; each with the place where it is said.
    layers: Vec<(String, ToolOffer)>,
}

impl ToolPolicy {
    /// What the configuration says.
    #[must_use]
    pub fn of(config: &Config, agent: &Agent) -> Self {
        let mut all = config.tools.offer.clone();
        let own = agent.tools.offer.clone();
        // A profile of its own stands in for the one of every agent; lists add up.
        all.profile = all.profile.filter(|_| own.profile.is_none());
        let place = format!("agents.list[{}].tools", agent.id);
        Self { layers: vec![("tools".to_owned(), all), (place, own)] }
    }

    /// Whether the agent has a tool.
    #[must_use]
    pub fn has(&self, tool: Tool) -> bool {
        self.lacks(tool).is_none()
    }

    /// The same of the tool that a call names, with the reason.
    #[must_use]
    pub fn said(&self, name: &str) -> Said {
        match Tool::named(name) {
            None => Said::deny("there is no such tool"),
            Some(tool) => match self.lacks(tool) {
                None => Said::allow("the agent has this tool"),
                Some(key) => Said::deny(format!("the agent does not have this tool: {key} says so")),
            },
        }
    }

    /// The key of the configuration that takes a tool away.
    #[must_use]
    pub fn lacks(&self, tool: Tool) -> Option<String> {
        let any = |list: &[String]| list.iter().any(|name| names(name, tool));
        let lacks = |(place, offer): &(String, ToolOffer)| {
            let also = any(&offer.also_allow);
            let key = if any(&offer.deny) {
                "deny"
            } else if !offer.allow.is_empty() && !any(&offer.allow) && !also {
                "allow"
            } else if offer.profile.is_some_and(|profile| !is_in(profile, tool)) && !also {
                "profile"
            } else {
                return None;
            };
            Some(format!("{place}.{key}"))
        };
        self.layers.iter().find_map(lacks)
    }
}

/// Whether a word of a list names a tool: by its name, by a group, or with `*` for any letters.
fn names(word: &str, tool: Tool) -> bool {
    let word = word.trim().to_ascii_lowercase();
    let word = match word.as_str() {
        // What OpenClaw has always called them as well.
        "bash" => "exec",
        "apply-patch" => "apply_patch",
        other => other,
    };
    match GROUPS.iter().find(|(name, _)| *name == word) {
        Some((_, tools)) => tools.contains(&tool),
        None if word == "group:openclaw" => true,
        None => fits(word.as_bytes(), tool.name().as_bytes()),
    }
}

/// Whether a text fits a pattern in which `*` stands for any letters. Never looks at a letter of the pattern twice for
/// the same letter of the text.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, seen));
            at += 1;
        } else if pattern.get(at) == Some(&text[seen]) {
            (at, seen) = (at + 1, seen + 1);
        } else if let Some((place, taken)) = star {
            star = Some((place, taken + 1));
            (at, seen) = (place + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|letter| *letter == b'*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn policy(all: Value, own: Value) -> ToolPolicy {
        let config: Config = serde_json::from_value(json!({
            "tools": all,
            "agents": { "list": [{ "id": "main", "tools": own }] },
        }))
        .unwrap();
        let agent = config.agents.list[0].clone();
        ToolPolicy::of(&config, &agent)
    }

    fn tools(policy: &ToolPolicy) -> Vec<&'static str> {
        Tool::ALL.iter().filter(|tool| policy.has(**tool)).map(|tool| tool.name()).collect()
    }

    #[test]
    fn nothing_said_gives_every_tool() {
        assert_eq!(tools(&policy(json!({}), json!({}))).len(), Tool::ALL.len());
    }

    #[test]
    fn lists_and_profiles_take_away() {
        let table: &[(Value, Value, &[&str])] = &[
            (json!({ "profile": "minimal" }), json!({}), &["session_status"]),
            (json!({ "profile": "minimal", "alsoAllow": ["read"] }), json!({}), &["read", "session_status"]),
            (json!({ "profile": "minimal" }), json!({ "profile": "full", "allow": ["cron"] }), &["cron"]),
            (json!({ "profile": "minimal" }), json!({ "allow": ["cron"] }), &[]),
            (
                json!({ "allow": ["group:memory", "BASH"] }),
                json!({}),
                &["exec", "memory_search", "memory_get"],
            ),
            (
                json!({ "allow": ["app*"], "deny": ["*_stop"] }),
                json!({ "deny": ["apply-patch"] }),
                &["app_launch", "app_propose", "apps_list", "app_status"],
            ),
            (json!({ "allow": ["read"] }), json!({ "allow": ["exec"] }), &[]),
            (json!({ "allow": ["read"] }), json!({ "alsoAllow": ["exec"] }), &["read"]),
            (json!({ "allow": ["no-such-tool"] }), json!({}), &[]),
            (json!({ "deny": ["*"], "allow": ["read"], "alsoAllow": ["read"] }), json!({}), &[]),
        ];
        for (all, own, expected) in table {
            assert_eq!(tools(&policy(all.clone(), own.clone())), *expected, "{all} {own}");
        }
    }

    #[test]
    fn a_refusal_names_the_key_that_says_so() {
        let policy = policy(json!({ "deny": ["read"] }), json!({ "profile": "minimal" }));
        let said = |name: &str| policy.said(name).why.into_owned();
        assert_eq!(said("read"), "the agent does not have this tool: tools.deny says so");
        assert_eq!(
            said("exec"),
            "the agent does not have this tool: agents.list[main].tools.profile says so"
        );
        assert_eq!(said("session_status"), "the agent has this tool");
        assert_eq!(said("Exec"), "there is no such tool");
    }

    #[test]
    fn every_tool_is_in_one_group() {
        for tool in Tool::ALL {
            let of = GROUPS.iter().filter(|(_, tools)| tools.contains(tool)).count();
            assert_eq!(of, 1, "{}", tool.name());
        }
    }

    proptest! {
        #[test]
        fn an_agents_own_words_never_give_a_tool_that_the_rest_does_not(
            all in words(), own in words()
        ) {
            let without = policy(json!({ "allow": all[0], "deny": all[1] }), json!({}));
            let with = policy(
                json!({ "allow": all[0], "deny": all[1] }),
                json!({ "allow": own[0], "alsoAllow": own[1], "deny": own[2] }),
            );
            for tool in Tool::ALL {
                prop_assert!(!with.has(*tool) || without.has(*tool));
            }
        }

        #[test]
        fn a_pattern_without_stars_is_the_text(text in "[ab]{0,6}", other in "[ab]{0,6}") {
            prop_assert_eq!(fits(text.as_bytes(), other.as_bytes()), text == other);
            let around = format!("*{text}*");
            prop_assert_eq!(fits(around.as_bytes(), other.as_bytes()), other.contains(&text));
        }
    }

    fn words() -> impl Strategy<Value = Vec<Vec<String>>> {
        let word = prop_oneof![
            Just("*".to_owned()),
            Just("group:fs".to_owned()),
            Just("group:apps".to_owned()),
            "[a-z_*]{1,6}",
            proptest::sample::select(Tool::ALL).prop_map(|tool| tool.name().to_owned()),
        ];
        proptest::collection::vec(proptest::collection::vec(word, 0..3), 3)
    }
}
