//! Which tools an agent has, according to `tools` in the configuration, for all agents and for this one.
//!
//! A tool that is denied anywhere is denied. An agent's own lists only remove tools from what every agent has. A name that
//! is not a tool grants nothing.

use tarsus_home::config::Config;
use tarsus_home::config::view::{Agent, ToolOffer, ToolProfile};

use crate::authorize::PolicyVerdict;
use tarsus_protocol::tool::ToolId;

/// The tool groups that a configuration can name.
pub const TOOL_GROUPS: &[(&str, &[ToolId])] = &[
    ("group:fs", &[ToolId::Read, ToolId::Write, ToolId::Edit, ToolId::ApplyPatch]),
    ("group:runtime", &[ToolId::Exec, ToolId::Process]),
    ("group:web", &[ToolId::WebSearch, ToolId::WebFetch]),
    ("group:memory", &[ToolId::MemorySearch, ToolId::MemoryGet]),
    (
        "group:sessions",
        &[
            ToolId::SessionsList,
            ToolId::SessionsHistory,
            ToolId::SessionsSend,
            ToolId::SessionsSpawn,
            ToolId::SessionsYield,
            ToolId::Subagents,
            ToolId::SessionStatus,
        ],
    ),
    (
        "group:apps",
        &[ToolId::AppsList, ToolId::AppStatus, ToolId::AppLaunch, ToolId::AppStop, ToolId::AppPropose],
    ),
    ("group:ui", &[ToolId::Browser, ToolId::Canvas]),
    ("group:messaging", &[ToolId::Message]),
    ("group:automation", &[ToolId::Cron, ToolId::Gateway]),
    ("group:nodes", &[ToolId::Nodes]),
    ("group:agents", &[ToolId::AgentsList]),
    ("group:media", &[ToolId::Image, ToolId::Tts]),
];

/// The entries of a profile.
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

/// Whether a profile contains a tool.
#[must_use]
pub fn is_in_profile(profile: ToolProfile, tool: ToolId) -> bool {
    members(profile).iter().any(|entry| matches_tool(entry, tool))
}

/// The tools of one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolPolicy {
    /// The lists for all agents, then those for this one; each with its configuration key.
    layers: Vec<(String, ToolOffer)>,
    /// Tools that have a switch of their own which is off, with its configuration key.
    switched_off: Vec<(ToolId, &'static str)>,
}

impl ToolPolicy {
    /// Reads the policy of an agent.
    #[must_use]
    pub fn from_config(config: &Config, agent: &Agent) -> Self {
        let mut all = config.tools.offer.clone();
        let own = agent.tools.offer.clone();
        // An agent's own profile replaces the general one; the lists of both apply.
        all.profile = all.profile.filter(|_| own.profile.is_none());
        let key = format!("agents.list[{}].tools", agent.id);
        let web = &config.tools.web;
        let switches = [
            (web.search.enabled, ToolId::WebSearch, "tools.web.search.enabled"),
            (web.fetch.enabled, ToolId::WebFetch, "tools.web.fetch.enabled"),
        ];
        let off = switches.into_iter().filter(|(enabled, ..)| !enabled);
        Self {
            layers: vec![("tools".to_owned(), all), (key, own)],
            switched_off: off.map(|(_, tool, key)| (tool, key)).collect(),
        }
    }

    /// Whether the agent has a tool.
    #[must_use]
    pub fn has(&self, tool: ToolId) -> bool {
        self.denying_key(tool).is_none()
    }

    /// The verdict about a tool name, with the reason.
    #[must_use]
    pub fn verdict(&self, name: &str) -> PolicyVerdict {
        match ToolId::from_name(name) {
            None => PolicyVerdict::deny("there is no such tool"),
            Some(tool) => match self.denying_key(tool) {
                None => PolicyVerdict::allow("the agent has this tool"),
                Some(key) => {
                    PolicyVerdict::deny(format!("the agent does not have this tool because of {key}"))
                }
            },
        }
    }

    /// The configuration key that denies a tool.
    #[must_use]
    pub fn denying_key(&self, tool: ToolId) -> Option<String> {
        let any = |list: &[String]| list.iter().any(|entry| matches_tool(entry, tool));
        let denying_key = |(layer, offer): &(String, ToolOffer)| {
            let also = any(&offer.also_allow);
            let key = if any(&offer.deny) {
                "deny"
            } else if !offer.allow.is_empty() && !any(&offer.allow) && !also {
                "allow"
            } else if offer.profile.is_some_and(|profile| !is_in_profile(profile, tool)) && !also {
                "profile"
            } else {
                return None;
            };
            Some(format!("{layer}.{key}"))
        };
        let switch = self.switched_off.iter().find(|(off, _)| *off == tool);
        switch.map(|(_, key)| (*key).to_owned()).or_else(|| self.layers.iter().find_map(denying_key))
    }
}

/// Whether an entry of a list matches a tool: by its name, its group, or a pattern with `*`.
fn matches_tool(entry: &str, tool: ToolId) -> bool {
    let word = entry.trim().to_ascii_lowercase();
    let word = match word.as_str() {
        // Aliases that OpenClaw accepts.
        "bash" => "exec",
        "apply-patch" => "apply_patch",
        other => other,
    };
    match TOOL_GROUPS.iter().find(|(name, _)| *name == word) {
        Some((_, tools)) => tools.contains(&tool),
        None if word == "group:openclaw" => true,
        None => matches_pattern(word.as_bytes(), tool.name().as_bytes()),
    }
}

/// Matches a pattern in which `*` stands for any characters, with backtracking to the last `*` only.
fn matches_pattern(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, seen));
            at += 1;
        } else if pattern.get(at) == Some(&text[seen]) {
            (at, seen) = (at + 1, seen + 1);
        } else if let Some((at_star, taken)) = star {
            star = Some((at_star, taken + 1));
            (at, seen) = (at_star + 1, taken + 1);
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
        ToolPolicy::from_config(&config, &agent)
    }

    fn tools(policy: &ToolPolicy) -> Vec<&'static str> {
        ToolId::ALL.iter().filter(|tool| policy.has(**tool)).map(|tool| tool.name()).collect()
    }

    #[test]
    fn empty_policy_has_every_tool() {
        assert_eq!(tools(&policy(json!({}), json!({}))).len(), ToolId::ALL.len());
    }

    #[test]
    fn lists_and_profiles_remove_tools() {
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
    fn denied_tool_names_the_configuration_key() {
        let policy = policy(json!({ "deny": ["read"] }), json!({ "profile": "minimal" }));
        let reason = |name: &str| policy.verdict(name).reason.into_owned();
        assert_eq!(reason("read"), "the agent does not have this tool because of tools.deny");
        assert_eq!(
            reason("exec"),
            "the agent does not have this tool because of agents.list[main].tools.profile"
        );
        assert_eq!(reason("session_status"), "the agent has this tool");
        assert_eq!(reason("Exec"), "there is no such tool");
    }

    #[test]
    fn switched_off_tool_is_denied_by_its_switch() {
        let off = json!({ "enabled": false });
        let policy = policy(json!({ "web": { "search": off }, "alsoAllow": ["web_search"] }), json!({}));
        assert_eq!(policy.denying_key(ToolId::WebSearch).as_deref(), Some("tools.web.search.enabled"));
        assert!(policy.has(ToolId::WebFetch));
    }

    #[test]
    fn every_tool_is_in_one_group() {
        for tool in ToolId::ALL {
            let groups = TOOL_GROUPS.iter().filter(|(_, tools)| tools.contains(tool)).count();
            assert_eq!(groups, 1, "{}", tool.name());
        }
    }

    proptest! {
        #[test]
        fn agent_lists_never_add_tools(
            all in lists(), own in lists()
        ) {
            let without = policy(json!({ "allow": all[0], "deny": all[1] }), json!({}));
            let with = policy(
                json!({ "allow": all[0], "deny": all[1] }),
                json!({ "allow": own[0], "alsoAllow": own[1], "deny": own[2] }),
            );
            for tool in ToolId::ALL {
                prop_assert!(!with.has(*tool) || without.has(*tool));
            }
        }

        #[test]
        fn pattern_without_star_is_literal(text in "[ab]{0,6}", other in "[ab]{0,6}") {
            prop_assert_eq!(matches_pattern(text.as_bytes(), other.as_bytes()), text == other);
            let around = format!("*{text}*");
            prop_assert_eq!(matches_pattern(around.as_bytes(), other.as_bytes()), other.contains(&text));
        }
    }

    fn lists() -> impl Strategy<Value = Vec<Vec<String>>> {
        let word = prop_oneof![
            Just("*".to_owned()),
            Just("group:fs".to_owned()),
            Just("group:apps".to_owned()),
            "[a-z_*]{1,6}",
            proptest::sample::select(ToolId::ALL).prop_map(|tool| tool.name().to_owned()),
        ];
        proptest::collection::vec(proptest::collection::vec(word, 0..3), 3)
    }
}
