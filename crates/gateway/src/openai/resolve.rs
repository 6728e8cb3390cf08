//! Resolves a request of the OpenAI API to an agent, a session and a message.

use axum::http::HeaderMap;
use tarsus_home::config::{AgentId, Config};
use tarsus_store::SessionKey;

use super::wire::{ChatRequest, RequestMessage};

/// Prefixes of model names that stand for agents, before a colon or slash and the agent id. Lists use the first one.
const NAMES: [&str; 2] = ["tarsus", "openclaw"];
const SESSION_HEADER: &str = "x-openclaw-session-key";
const AGENT_HEADER: &str = "x-openclaw-agent-id";
/// Characters of `user` that become part of the session key.
const MAX_USER_CHARS: usize = 64;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResolvedRequest {
    pub(super) session: SessionKey,
    pub(super) text: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ResolveError {
    /// No agent has this name.
    Model(String),
    Other(String),
}

/// The model names of the agents, the default one first.
pub(super) fn names(config: &Config) -> Vec<String> {
    let [ours, _] = NAMES;
    let agents = config.agents.list.iter().map(|agent| format!("{ours}:{}", agent.id));
    std::iter::once(ours.to_owned()).chain(agents).collect()
}

/// `fresh` is a unique name for a new session.
pub(super) fn resolve(
    request: &ChatRequest,
    headers: &HeaderMap,
    config: &Config,
    fresh: &str,
) -> Result<ResolvedRequest, ResolveError> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let agent = agent(&request.model, header(AGENT_HEADER), config)?;
    let other = |error: &dyn std::fmt::Display| ResolveError::Other(error.to_string());
    let key = |name: &str| SessionKey::new(&agent, name).map_err(|error| other(&error));
    let (session, is_kept) = match (header(SESSION_HEADER), &request.user) {
        (Some(named), _) if named.starts_with("agent:") => {
            let session: SessionKey = named.parse().map_err(|error| other(&error))?;
            require_agent(session.agent(), config)?;
            (session, true)
        }
        (Some(named), _) => (key(named)?, true),
        (None, Some(user)) if !user.trim().is_empty() => (key(&format!("openai:{}", plain(user)))?, true),
        _ => (key(&format!("openai:{fresh}"))?, false),
    };
    Ok(ResolvedRequest {
        session,
        text: compose_text(&request.messages, is_kept).map_err(ResolveError::Other)?,
    })
}

fn agent(model: &str, header: Option<&str>, config: &Config) -> Result<AgentId, ResolveError> {
    let unknown = || {
        ResolveError::Model(format!("there is no model {model:?}; there are: {}", names(config).join(", ")))
    };
    let after = NAMES.iter().find_map(|name| model.strip_prefix(name)).or(model.strip_prefix("agent"));
    let named = match after.ok_or_else(unknown)? {
        "" => header.filter(|id| !id.is_empty()),
        rest => Some(rest.strip_prefix([':', '/']).ok_or_else(unknown)?),
    };
    let Some(named) = named.filter(|id| *id != "default") else { return Ok(config.agents.default_id()) };
    let id: AgentId = named.parse().map_err(|_| unknown())?;
    require_agent(&id, config)?;
    Ok(id)
}

fn require_agent(id: &AgentId, config: &Config) -> Result<(), ResolveError> {
    match config.agents.get(id) {
        Some(_) => Ok(()),
        None => Err(ResolveError::Model(format!(
            "there is no agent {id}; there are: {}",
            names(config).join(", ")
        ))),
    }
}

/// Converts `user` to a valid part of a session key.
fn plain(user: &str) -> String {
    let letters = user.trim().chars().take(MAX_USER_CHARS);
    letters
        .map(|letter| if letter.is_alphanumeric() || "-_.@".contains(letter) { letter } else { '-' })
        .collect()
}

/// Returns the last message. In a new session, the client's earlier messages precede it.
fn compose_text(messages: &[RequestMessage], is_kept: bool) -> Result<String, String> {
    let Some((last, before)) = messages.split_last() else {
        return Err("`messages` is empty".to_owned());
    };
    if last.role != "user" {
        return Err(format!("the last message must have the role \"user\", not {:?}", last.role));
    }
    let last = last.text()?;
    if is_kept || before.is_empty() {
        return Ok(last);
    }
    let mut text = "Earlier conversation, as sent by the client:\n".to_owned();
    for message in before {
        text.push_str(&format!("\n[{}] {}\n", message.role, message.text()?));
    }
    text.push_str(&format!("\nCurrent message:\n\n{last}"));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config() -> Config {
        serde_json::from_value(json!({"agents": {"list": [{"id": "main"}, {"id": "ops"}]}})).unwrap()
    }

    fn request(model: &str, user: Option<&str>, messages: serde_json::Value) -> ChatRequest {
        serde_json::from_value(json!({"model": model, "user": user, "messages": messages})).unwrap()
    }

    fn session(
        model: &str,
        user: Option<&str>,
        headers: &[(&'static str, &str)],
    ) -> Result<String, ResolveError> {
        let headers =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let request = request(model, user, json!([{"role": "user", "content": "hi"}]));
        resolve(&request, &headers, &config(), "1").map(|resolved| resolved.session.to_string())
    }

    #[test]
    fn model_selects_agent_and_user_selects_session() {
        let key = |key: &str| Ok(key.to_owned());
        assert_eq!(session("tarsus", None, &[]), key("agent:main:openai:1"));
        assert_eq!(session("openclaw:ops", None, &[]), key("agent:ops:openai:1"));
        assert_eq!(session("openclaw/default", None, &[]), key("agent:main:openai:1"));
        assert_eq!(session("agent:ops", Some(" a b "), &[]), key("agent:ops:openai:a-b"));
        assert_eq!(session("tarsus", None, &[(AGENT_HEADER, "ops")]), key("agent:ops:openai:1"));
        assert_eq!(session("tarsus", None, &[(SESSION_HEADER, "main")]), key("agent:main:main"));
        assert_eq!(
            session("tarsus", Some("x"), &[(SESSION_HEADER, "agent:ops:main")]),
            key("agent:ops:main")
        );
        for unknown in ["gpt-5", "tarsusx", "tarsus:nobody", "", "tarsus:a b"] {
            assert!(matches!(session(unknown, None, &[]), Err(ResolveError::Model(_))), "{unknown}");
        }
        let other_agent = session("tarsus", None, &[(SESSION_HEADER, "agent:nobody:main")]);
        assert!(matches!(other_agent, Err(ResolveError::Model(_))));
    }

    #[test]
    fn fresh_session_gets_earlier_messages_as_text() {
        let messages = json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
            {"role": "assistant", "content": null},
            {"role": "user", "content": "three"},
        ]);
        let request = request("tarsus", None, messages);
        assert_eq!(
            compose_text(&request.messages, false).unwrap(),
            "Earlier conversation, as sent by the client:\n\n[system] Be brief.\n\n[user] one\ntwo\n\n[assistant] \n\n\
             Current message:\n\nthree"
        );
        assert_eq!(compose_text(&request.messages, true).unwrap(), "three");
        assert_eq!(compose_text(&request.messages[3..], false).unwrap(), "three");
    }

    #[test]
    fn unsupported_messages_are_rejected_with_reason() {
        let image = request("tarsus", None, json!([{"role": "user", "content": [{"type": "image_url"}]}]));
        let answer = request("tarsus", None, json!([{"role": "assistant", "content": "x"}]));
        for (messages, why) in [
            (&image.messages[..], "content parts of type \"image_url\" are not supported; only text is"),
            (&answer.messages, "the last message must have the role \"user\", not \"assistant\""),
            (&[], "`messages` is empty"),
        ] {
            assert_eq!(compose_text(messages, false), Err(why.to_owned()));
        }
    }
}
