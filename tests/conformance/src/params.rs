//! Parameters of frequent calls; optional fields are absent.

use tarsus_protocol::rpc::{agents, apps, chat, config, journal, sessions, skills};

/// A message to a session.
#[must_use]
pub fn chat_message(session_key: &str, message: &str, run: &str) -> chat::ChatSendParams {
    chat::ChatSendParams {
        session_key: session_key.to_owned(),
        message: message.to_owned(),
        idempotency_key: run.to_owned(),
        attachments: None,
        deliver: None,
    }
}

/// The newest page of a session's transcript.
#[must_use]
pub fn chat_history(session_key: &str) -> chat::ChatHistoryParams {
    chat::ChatHistoryParams {
        session_key: session_key.to_owned(),
        session_id: None,
        limit: None,
        after: None,
        before: None,
    }
}

/// Aborts one run of a session, or all.
#[must_use]
pub fn chat_abort(session_key: &str, run: Option<&str>) -> chat::ChatAbortParams {
    chat::ChatAbortParams { session_key: session_key.to_owned(), run_id: run.map(str::to_owned) }
}

/// A run to wait for.
#[must_use]
pub fn agent_wait(run: &str) -> chat::AgentWaitParams {
    chat::AgentWaitParams { run_id: run.to_owned(), timeout_ms: None }
}

/// A session by its key.
#[must_use]
pub fn session(key: &str) -> sessions::SessionParams {
    sessions::SessionParams { key: key.to_owned() }
}

/// A change of a session that changes nothing yet.
#[must_use]
pub fn session_patch(key: &str) -> sessions::SessionPatchParams {
    sessions::SessionPatchParams {
        key: key.to_owned(),
        label: None,
        model: None,
        thinking_level: None,
        reasoning_level: None,
        verbose_level: None,
        exec_host: None,
        exec_security: None,
        exec_ask: None,
    }
}

/// All sessions.
#[must_use]
pub fn sessions_list() -> sessions::SessionsListParams {
    sessions::SessionsListParams {
        agent_id: None,
        search: None,
        limit: None,
        offset: None,
        include_global: None,
        include_unknown: None,
    }
}

/// An agent by its id.
#[must_use]
pub fn agent(id: &str) -> agents::AgentParams {
    agents::AgentParams { agent_id: id.to_owned() }
}

/// A new agent with the default workspace and model.
#[must_use]
pub fn agent_create(name: &str) -> agents::AgentCreateParams {
    agents::AgentCreateParams { name: name.to_owned(), workspace: None, model: None, dry_run: None }
}

/// A file of an agent.
#[must_use]
pub fn agent_file(agent: &str, name: &str) -> agents::AgentFileParams {
    agents::AgentFileParams { agent_id: agent.to_owned(), name: name.to_owned() }
}

/// The new content of an agent's file, whatever it holds now.
#[must_use]
pub fn agent_file_set(agent: &str, name: &str, content: &str) -> agents::AgentFileSetParams {
    agents::AgentFileSetParams {
        agent_id: agent.to_owned(),
        name: name.to_owned(),
        content: content.to_owned(),
        base_hash: None,
    }
}

/// A new configuration, or a patch, for the version with this hash.
#[must_use]
pub fn config_write(raw: impl ToString, base_hash: &str) -> config::ConfigWriteParams {
    config::ConfigWriteParams { raw: raw.to_string(), base_hash: Some(base_hash.to_owned()) }
}

/// The skills of an agent, or of the default agent.
#[must_use]
pub fn agent_skills(agent: Option<&str>) -> skills::SkillsParams {
    skills::SkillsParams { agent_id: agent.map(str::to_owned) }
}

/// A new key of a skill; an empty one removes it.
#[must_use]
pub fn skill_api_key(skill_key: &str, api_key: &str) -> skills::SkillUpdateParams {
    skills::SkillUpdateParams {
        skill_key: skill_key.to_owned(),
        enabled: None,
        api_key: Some(api_key.to_owned()),
        env: None,
    }
}

/// The newest records of the audit log.
#[must_use]
pub fn audit_tail(limit: Option<usize>) -> journal::AuditParams {
    journal::AuditParams { category: None, level: None, since: None, limit }
}

/// Launches an app for an agent.
#[must_use]
pub fn app_launch(name: &str, agent: &str) -> apps::AppRunParams {
    apps::AppRunParams { name: name.to_owned(), agent_id: Some(agent.to_owned()), session: None }
}
