//! `agent`: something is said to an agent, and what it answers is printed.
//!
//! Promises: whoever runs the state folder answers, else this process does; Ctrl-C calls the run off and what was shown
//! of it is kept.

mod own;
mod piece;
mod through;

use std::io::Read;

use tarsus_gateway::unique;
use tarsus_protocol::rpc::chat::{AgentResult, AgentStatus};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tarsus_store::SessionKey;

use self::piece::Pieces;
use crate::args::Agent;
use crate::context::Context;
use crate::gateway;
use crate::output::Output;

/// The most that is said at once.
const LONGEST_MESSAGE: u64 = 200_000;

/// What is asked.
struct Asked {
    session: SessionKey,
    run: String,
    message: String,
    model: Option<String>,
}

/// Carries out the command.
pub fn run(request: &Agent, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let config = context.load_config()?.view;
    let agent = context.agent(&config)?.id.clone();
    let asked = Asked {
        session: SessionKey::complete(request.session_key.as_deref().unwrap_or("main"), &agent)?,
        run: unique()?,
        message: message(&request.message)?,
        model: request.model.clone(),
    };
    let pieces = Pieces::new(request.stream);
    let result = match gateway::holder(context)? {
        Some(_) => through::run(asked, pieces, context, output)?,
        None => own::run(asked, pieces, context, output)?,
    };
    if request.stream && output.is_json() {
        output.json_line(&result)?;
    } else if output.is_json() {
        output.json(&result)?;
    } else if !request.stream {
        output.text(&piece::lines(&result.text))?;
    }
    ended(&result, output)
}

fn message(given: &str) -> Result<String, Problem> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut text = String::new();
    let read = std::io::stdin().lock().take(LONGEST_MESSAGE + 1).read_to_string(&mut text);
    read.map_err(|error| Problem::new(ErrorCode::Io, format!("cannot read standard input: {error}")))?;
    if text.len() as u64 > LONGEST_MESSAGE {
        let message = format!("a message has at most {LONGEST_MESSAGE} bytes");
        return Err(Problem::new(ErrorCode::TooLarge, message)
            .hint("say less, or put it into a file of the workspace"));
    }
    Ok(text)
}

/// The exit code; why there is no answer is said beside JSON, which has it too.
fn ended(result: &AgentResult, output: &Output) -> Result<ExitCode, Problem> {
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
            // What to do next stands after what went wrong.
            let (what, next) = error.split_once('\n').unwrap_or((error, ""));
            problem(ErrorCode::Failed, what.to_owned(), next)
        }
        (AgentStatus::Aborted, _) => problem(ErrorCode::Interrupted, "the run was called off".to_owned(), ""),
        _ => problem(ErrorCode::Failed, "the run was cut short".to_owned(), ""),
    }
}
