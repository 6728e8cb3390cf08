//! `prompt`: what a model is told before a conversation begins, and how large each part of it is.

use serde::Serialize;
use tarsus_agent::guide;
use tarsus_agent::prompt::gather::{Machine, ModelFacts, Situation};
use tarsus_agent::prompt::quote::Marker;
use tarsus_agent::prompt::{Group, Mode, ToolLine, as_text, build};
use tarsus_agent::tools::Toolbox;
use tarsus_guard::ToolPolicy;
use tarsus_home::config::AgentId;
use tarsus_models::{Catalog, Thinking, report};
use tarsus_protocol::exec::Reasoning;
use tarsus_protocol::hello::SessionDefaults;
use tarsus_protocol::prompt::PromptReport;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tarsus_skills::gate::Depth;
use tarsus_store::SessionKey;

use super::skills::look::Asked;
use crate::args::{Prompt, PromptMode};
use crate::context::Context;
use crate::output::Output;

/// Where messages come from when nobody says.
const CHANNEL: &str = "webchat";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    session_key: String,
    #[serde(flatten)]
    report: PromptReport,
    text: String,
}

/// Prints the prompt.
pub fn run(step: Prompt, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let Prompt::Show { session, mode } = step;
    let asked = Asked::new(context)?;
    let session = session_key(session.as_deref(), &asked.agent.id)?;
    let variables = |name: &str| context.variable(name);
    let look = asked.look(&variables, Depth::Needed)?;
    let config = &asked.config().view;
    let chosen = report::chosen(config, &asked.agent).into_iter().find_map(Result::ok);
    let model = chosen.and_then(|name| Catalog::new(&config.models).model(&name).ok());
    let toolbox = Toolbox::new();
    let policy = ToolPolicy::of(config, &asked.agent);
    let lines: Vec<ToolLine<'_>> = toolbox.lines(|tool| policy.has(tool));
    let docs = guide::folder(&context.home).display().to_string();
    let situation = Situation {
        home: &context.home,
        config,
        agent: &asked.agent,
        session: &session,
        mode: mode.map(|mode| match mode {
            PromptMode::Full => Mode::Full,
            PromptMode::Minimal => Mode::Minimal,
            PromptMode::None => Mode::None,
        }),
        channel: CHANNEL,
        group: Group::Addressed,
        tools: &lines,
        model: model.as_ref().map(|model| ModelFacts {
            name: model.name.as_str(),
            window: model.window(),
            reasons: model.facts.reasoning,
        }),
        thinking: Thinking::Off,
        reasoning: Reasoning::Off,
        machine: &Machine::here(context.environment.path("SHELL")),
        // A session's own is nobody's business.
        marker: &Marker::example(),
        docs: Some(&docs),
    };
    let gathered = situation.gather(|chars| look.prompt_within(chars).text);
    let inputs = gathered.inputs();
    let prompt = build(&inputs);
    let (report, text) = (prompt.report(&inputs), prompt.text());
    if output.is_json() {
        output.json(&Shown { session_key: session.to_string(), report, text })?;
    } else {
        output.text(&text)?;
        output.note(as_text(&report).trim_end());
    }
    Ok(ExitCode::Done)
}

fn session_key(given: Option<&str>, agent: &AgentId) -> Result<SessionKey, Problem> {
    let Some(given) = given else { return Ok(SessionKey::new(agent, SessionDefaults::MAIN_KEY)?) };
    let key: SessionKey = given.parse()?;
    if key.agent() == agent {
        return Ok(key);
    }
    let message = format!("the session {key} is not one of the agent {agent}");
    Err(Problem::new(ErrorCode::Usage, message).hint(format!("add --agent {}", key.agent())))
}
