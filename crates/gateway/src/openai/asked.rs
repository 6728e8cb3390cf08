//! What a client of the OpenAI API means: which agent, which session, and what is said.

use axum::http::HeaderMap;
use tarsus_home::config::{AgentId, Config};
use tarsus_store::SessionKey;

use super::wire::{Asked, Asking};

/// What agents are called as models, before a colon or a slash and their id. The first is what we call them ourselves.
const NAMES: [&str; 2] = ["tarsus", "openclaw"];
/// Names a session.
const SESSION_HEADER: &str = "x-openclaw-session-key";
/// Names an agent.
const AGENT_HEADER: &str = "x-openclaw-agent-id";
/// Letters of a word for who asks that become part of a session's key.
const LONGEST_USER: usize = 64;

/// What is meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Meant {
    /// The session.
    pub(super) session: SessionKey,
    /// What is said.
    pub(super) text: String,
}

/// Why it is not clear what is meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unclear {
    /// There is no such agent.
    Model(String),
    /// Something else.
    Other(String),
}

/// The agents by the names that they have as models, the default one first.
pub(super) fn names(config: &Config) -> Vec<String> {
    let [ours, _] = NAMES;
    let agents = config.agents.list.iter().map(|agent| format!("{ours}:{}", agent.id));
    std::iter::once(ours.to_owned()).chain(agents).collect()
}

/// What a request means. `fresh` is a word that no other session has.
pub(super) fn meant(
    asked: &Asked,
    headers: &HeaderMap,
    config: &Config,
    fresh: &str,
) -> Result<Meant, Unclear> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let agent = agent(&asked.model, header(AGENT_HEADER), config)?;
    let other = |error: &dyn std::fmt::Display| Unclear::Other(error.to_string());
    let key = |name: &str| SessionKey::new(&agent, name).map_err(|error| other(&error));
    let (session, is_kept) = match (header(SESSION_HEADER), &asked.user) {
        (Some(named), _) if named.starts_with("agent:") => {
            let session: SessionKey = named.parse().map_err(|error| other(&error))?;
            known(session.agent(), config)?;
            (session, true)
        }
        (Some(named), _) => (key(named)?, true),
        (None, Some(user)) if !user.trim().is_empty() => (key(&format!("openai:{}", plain(user)))?, true),
        _ => (key(&format!("openai:{fresh}"))?, false),
    };
    Ok(Meant { session, text: said(&asked.messages, is_kept).map_err(Unclear::Other)? })
}

fn agent(model: &str, header: Option<&str>, config: &Config) -> Result<AgentId, Unclear> {
    let unknown =
        || Unclear::Model(format!("there is no model {model:?}; there are: {}", names(config).join(", ")));
    let after = NAMES.iter().find_map(|name| model.strip_prefix(name)).or(model.strip_prefix("agent"));
    let named = match after.ok_or_else(unknown)? {
        "" => header.filter(|id| !id.is_empty()),
        rest => Some(rest.strip_prefix([':', '/']).ok_or_else(unknown)?),
    };
    let Some(named) = named.filter(|id| *id != "default") else { return Ok(config.agents.default_id()) };
    let id: AgentId = named.parse().map_err(|_| unknown())?;
    known(&id, config)?;
    Ok(id)
}

fn known(id: &AgentId, config: &Config) -> Result<(), Unclear> {
    match config.agents.get(id) {
        Some(_) => Ok(()),
        None => {
            Err(Unclear::Model(format!("there is no agent {id}; there are: {}", names(config).join(", "))))
        }
    }
}

/// A word for who asks, as part of a key: whatever it is, it names one session of ours.
fn plain(user: &str) -> String {
    let letters = user.trim().chars().take(LONGEST_USER);
    letters
        .map(|letter| if letter.is_alphanumeric() || "-_.@".contains(letter) { letter } else { '-' })
        .collect()
}

/// What is said: the last message. A session that we do not keep is told what was said before, in the client's words.
fn said(messages: &[Asking], is_kept: bool) -> Result<String, String> {
    let Some((last, before)) = messages.split_last() else {
        return Err("a request needs a message".to_owned());
    };
    if last.role != "user" {
        return Err(format!("the last message has to be the user's, and is of the role {:?}", last.role));
    }
    let last = last.text()?;
    if is_kept || before.is_empty() {
        return Ok(last);
    }
    let mut text = "What was said before, as the client tells it:\n".to_owned();
    for message in before {
        text.push_str(&format!("\n[{}] {}\n", message.role, message.text()?));
    }
    text.push_str(&format!("\nWhat is said now:\n\n{last}"));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config() -> Config {
        serde_json::from_value(json!({"agents": {"list": [{"id": "main"}, {"id": "ops"}]}})).unwrap()
    }

    fn asked(model: &str, user: Option<&str>, messages: serde_json::Value) -> Asked {
        serde_json::from_value(json!({"model": model, "user": user, "messages": messages})).unwrap()
    }

    fn session(model: &str, user: Option<&str>, headers: &[(&'static str, &str)]) -> Result<String, Unclear> {
        let headers =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let asked = asked(model, user, json!([{"role": "user", "content": "hi"}]));
        meant(&asked, &headers, &config(), "1").map(|meant| meant.session.to_string())
    }

    #[test]
    fn a_model_names_an_agent_and_a_word_a_session() {
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
            assert!(matches!(session(unknown, None, &[]), Err(Unclear::Model(_))), "{unknown}");
        }
        let elsewhere = session("tarsus", None, &[(SESSION_HEADER, "agent:nobody:main")]);
        assert!(matches!(elsewhere, Err(Unclear::Model(_))));
    }

    #[test]
    fn a_session_that_is_not_kept_is_told_what_was_said_before() {
        let messages = json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
            {"role": "assistant", "content": null},
            {"role": "user", "content": "three"},
        ]);
        let asked = asked("tarsus", None, messages);
        assert_eq!(
            said(&asked.messages, false).unwrap(),
            "What was said before, as the client tells it:\n\n[system] Be brief.\n\n[user] one\ntwo\n\n[assistant] \n\n\
             What is said now:\n\nthree"
        );
        assert_eq!(said(&asked.messages, true).unwrap(), "three");
        assert_eq!(said(&asked.messages[3..], false).unwrap(), "three");
    }

    #[test]
    fn what_cannot_be_said_is_named() {
        let image = asked("tarsus", None, json!([{"role": "user", "content": [{"type": "image_url"}]}]));
        let answer = asked("tarsus", None, json!([{"role": "assistant", "content": "x"}]));
        for (messages, why) in [
            (&image.messages[..], "a part of the kind \"image_url\" cannot be read; text can"),
            (&answer.messages, "the last message has to be the user's, and is of the role \"assistant\""),
            (&[], "a request needs a message"),
        ] {
            assert_eq!(said(messages, false), Err(why.to_owned()));
        }
    }
}
