//! `agent`: sends a message to an agent and prints the answer.
//!
//! The gateway runs it if there is one, else this process. Ctrl-C aborts the run; the partial answer is kept.

mod in_process;
mod stream;
mod via_gateway;

use std::io::Read;

use tarsus_home::random::random_uuid;
use tarsus_protocol::rpc::chat::{AgentResult, AgentStatus};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tarsus_store::SessionKey;

use self::stream::AnswerStream;
use crate::args::Agent;
use crate::context::Context;
use crate::gateway;
use crate::inside::{AgentProcess, Right};
use crate::output::Output;
use crate::text::spelling_note;

/// Bytes of a message on standard input.
const MAX_MESSAGE_BYTES: u64 = 200_000;

struct AgentRequest {
    session: SessionKey,
    run: String,
    message: String,
    model: Option<String>,
}

pub fn run(request: &Agent, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let named = request.session_key.as_deref().and_then(|key| key.strip_prefix("agent:")?.split(':').next());
    named.and_then(spelling_note).into_iter().for_each(|note| output.note(&note));
    let config = &context.config()?.view;
    let inside = context.inside().and_then(AgentProcess::agent);
    let agent = match inside {
        Some(agent) => agent.clone(),
        None => context.agent(config)?.id.clone(),
    };
    let session = SessionKey::complete(request.session_key.as_deref().unwrap_or("main"), &agent)?;
    if inside.is_some() && session.agent() != &agent {
        context.require(Right::Owner, &format!("the session {session}"))?;
    }
    let agent_request = AgentRequest {
        session,
        run: random_uuid()?.to_string(),
        message: read_message(&request.message)?,
        model: request.model.clone(),
    };
    let mut stream = AnswerStream::new(request.stream);
    let result = match gateway::holder(context)? {
        Some(_) => via_gateway::run(agent_request, &mut stream, context, output)?,
        // Who asks can be checked by a process that the agent did not start, and by no other.
        None if inside.is_some() => {
            let message = "no gateway runs, and a process that an agent started may not run agents itself";
            return Err(Problem::new(ErrorCode::Denied, message)
                .hint("`tarsus up` starts one, in a terminal that no agent opened"));
        }
        None => in_process::run(agent_request, &mut stream, context, output)?,
    };
    stream.print_result(&result, output)?;
    exit_code(&result, output)
}

fn read_message(argument: &str) -> Result<String, Problem> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MAX_MESSAGE_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| Problem::new(ErrorCode::Io, format!("cannot read standard input: {error}")))?;
    if text.len() as u64 > MAX_MESSAGE_BYTES {
        let message = format!("a message has at most {MAX_MESSAGE_BYTES} bytes");
        return Err(Problem::new(ErrorCode::TooLarge, message)
            .hint("shorten it, or put it in a file in the workspace"));
    }
    Ok(text)
}

/// Returns the exit code. In JSON mode the error is already part of the output.
fn exit_code(result: &AgentResult, output: &Output) -> Result<ExitCode, Problem> {
    let problem = |code, message: String, next: &str| {
        let mut problem = Problem::new(code, message);
        if !next.is_empty() {
            problem = problem.hint(next);
        }
        if output.is_json() { Ok(problem.code.exit()) } else { Err(problem) }
    };
    match (result.status, &result.error) {
        (AgentStatus::Ok, _) => Ok(ExitCode::Done),
        (AgentStatus::Error, Some(error)) => {
            // The first line is the error, the rest the next step.
            let (what, next) = error.split_once('\n').unwrap_or((error, ""));
            problem(ErrorCode::Failed, what.to_owned(), next)
        }
        (AgentStatus::Aborted, _) => problem(ErrorCode::Interrupted, "the run was aborted".to_owned(), ""),
        _ => problem(ErrorCode::Failed, "the run was cut short".to_owned(), ""),
    }
}
