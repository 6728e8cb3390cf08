//! `prompt`: shows the system prompt and the size of each section.

use serde::Serialize;
use tarsus_agent::Channel;
use tarsus_agent::prompt::quote::Marker;
use tarsus_agent::prompt::{self, Machine, ModelFacts, PromptInputs, PromptSource, report_text};
use tarsus_agent::tools::Toolbox;
use tarsus_home::config::AgentId;
use tarsus_models::{ModelCatalog, report};
use tarsus_protocol::exec::{Reasoning, ThinkingLevel};
use tarsus_protocol::hello::SessionDefaults;
use tarsus_protocol::prompt::PromptReport;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tarsus_skills::gate::ScanScope;
use tarsus_store::SessionKey;

use super::skills::agent_skills::AgentSkills;
use crate::args::{Prompt, PromptMode};
use crate::context::Context;
use crate::output::Output;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PromptOutput {
    session_key: String,
    #[serde(flatten)]
    report: PromptReport,
    text: String,
}

pub fn run(step: Prompt, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let Prompt::Show { session, mode } = step;
    let agent_skills = AgentSkills::new(context)?;
    let session = session_key(session.as_deref(), &agent_skills.agent.id)?;
    let loader = agent_skills.load(ScanScope::Required)?;
    let config = &agent_skills.config().view;
    let chosen = report::configured(config, &agent_skills.agent).into_iter().find_map(Result::ok);
    let model = chosen.and_then(|name| ModelCatalog::new(&config.models).model(&name).ok());
    let source = PromptSource {
        home: &context.home,
        config,
        agent: &agent_skills.agent,
        session: &session,
        channel: Channel::default(),
        mode: mode.map(|mode| match mode {
            PromptMode::Full => prompt::PromptMode::Full,
            PromptMode::Minimal => prompt::PromptMode::Minimal,
            PromptMode::None => prompt::PromptMode::None,
        }),
        toolbox: &Toolbox::new(),
        model: model.as_ref().map(|model| ModelFacts {
            name: model.name.as_str(),
            window: model.context_window(),
            reasons: model.info.reasoning,
        }),
        thinking: ThinkingLevel::Off,
        reasoning: Reasoning::Off,
        machine: &Machine::detect(context.environment.path("SHELL")),
        // The session's own marker is secret.
        marker: &Marker::example(),
        snapshot: loader.snapshot(),
    };
    let inputs = PromptInputs::load(source);
    let prompt = prompt::build(&inputs);
    let (report, text) = (prompt.report(&inputs), prompt.text());
    if output.is_json() {
        output.json(&PromptOutput { session_key: session.to_string(), report, text })?;
    } else {
        output.text(&text)?;
        output.note(report_text(&report).trim_end());
    }
    Ok(ExitCode::Done)
}

fn session_key(key: Option<&str>, agent: &AgentId) -> Result<SessionKey, Problem> {
    let Some(key) = key else { return Ok(SessionKey::new(agent, SessionDefaults::MAIN_KEY)?) };
    let key: SessionKey = key.parse()?;
    if key.agent() == agent {
        return Ok(key);
    }
    let message = format!("the session {key} does not belong to the agent {agent}");
    Err(Problem::new(ErrorCode::Usage, message).hint(format!("add --agent {}", key.agent())))
}
