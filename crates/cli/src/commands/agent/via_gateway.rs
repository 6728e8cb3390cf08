//! Runs the agent in the gateway of the state folder.

use std::time::Duration;

use tarsus_protocol::rpc::chat::{
    Abort, Agent, AgentResult, AgentRunParams, AgentWaitParams, ChatAbortParams, RunStatus, Wait,
};
use tarsus_protocol::{ErrorCode, Problem};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::spawn_blocking;

use super::AgentRequest;
use super::stream::AnswerStream;
use crate::context::Context;
use crate::gateway::client::{Client, GatewayEvent};
use crate::gateway::{self, QUERY_TIMEOUT};
use crate::output::Output;
use crate::stop_requests::{StopRequests, USUAL_GRACE};

/// How long one `agent.wait` request waits.
const WAIT_TIMEOUT: Duration = Duration::from_secs(30);
/// Pause between two requests.
const WAIT_PAUSE: Duration = Duration::from_millis(500);
/// Additional time for the response to arrive.
const RESPONSE_SLACK: Duration = Duration::from_secs(10);

/// An event from the thread that reads the socket.
enum StreamEvent {
    Text(String),
    Reasoning(String),
    LineBreak,
    Discard,
}

pub(super) fn run(
    request: AgentRequest,
    stream: &mut AnswerStream,
    context: &Context,
    output: &mut Output,
) -> Result<AgentResult, Problem> {
    let mut client = gateway::connect(context)?;
    let params = AgentRunParams {
        message: request.message.clone(),
        idempotency_key: request.run.clone(),
        agent_id: None,
        session_key: Some(request.session.to_string()),
        model: request.model.clone(),
        attachments: None,
        deliver: None,
    };
    client.call::<Agent>(&params, QUERY_TIMEOUT)?;
    let tokio = crate::commands::runtime()?;
    let result = tokio.block_on(async {
        let mut stop_requests = StopRequests::listen(USUAL_GRACE)?;
        let (sender, mut events) = unbounded_channel();
        let (run, is_streaming) = (request.run.clone(), stream.is_enabled());
        let mut following = spawn_blocking(move || {
            if is_streaming {
                follow(&mut client, &run, &sender)?;
            }
            wait_for_result(&mut client, &run)
        });
        let mut is_aborted = false;
        let result = loop {
            tokio::select! {
                biased;
                Some(event) = events.recv() => match event {
                    StreamEvent::Text(text) => stream.print(&text, output)?,
                    StreamEvent::Reasoning(text) => stream.print_reasoning(&text, output)?,
                    StreamEvent::LineBreak => stream.break_line(output)?,
                    StreamEvent::Discard => stream.discard(output)?,
                },
                done = &mut following => break done,
                _ = stop_requests.next() => {
                    if std::mem::replace(&mut is_aborted, true) {
                        return Err(Problem::new(ErrorCode::Interrupted, "ended before the run was aborted")
                            .hint("the run may go on in the gateway; send /stop to abort it"));
                    }
                    abort_run(&request, context)?;
                }
            }
        };
        stream.break_line(output)?;
        result.map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?
    });
    // A request that is still waiting ends with the process.
    tokio.shutdown_background();
    result
}

/// Forwards events until the run has finished.
fn follow(client: &mut Client, run: &str, sender: &UnboundedSender<StreamEvent>) -> Result<(), Problem> {
    loop {
        let GatewayEvent { event, payload } = client.next_event(WAIT_TIMEOUT)?;
        if payload["runId"] != run {
            continue;
        }
        let stream_event = match (event.as_str(), payload["state"].as_str(), payload["stream"].as_str()) {
            ("chat", Some("delta"), _) => {
                StreamEvent::Text(payload["deltaText"].as_str().unwrap_or_default().to_owned())
            }
            ("chat", Some("status"), _) => continue,
            ("chat", Some(_), _) => return Ok(()),
            // Tool calls, which the session may hide, follow a message of the model.
            ("session.message", ..) => StreamEvent::LineBreak,
            ("agent", _, Some("thinking")) => {
                StreamEvent::Reasoning(payload["data"]["delta"].as_str().unwrap_or_default().to_owned())
            }
            ("agent", _, Some("lifecycle")) => match payload["data"]["phase"].as_str() {
                Some("retry" | "withdrawn") => StreamEvent::Discard,
                _ => continue,
            },
            _ => continue,
        };
        // The receiver is dropped only when the command is ending.
        sender.send(stream_event).ok();
    }
}

/// Waits until the run has finished and returns its result.
fn wait_for_result(client: &mut Client, run: &str) -> Result<AgentResult, Problem> {
    loop {
        let timeout_ms = u64::try_from(WAIT_TIMEOUT.as_millis()).unwrap_or(u64::MAX);
        let params = AgentWaitParams { run_id: run.to_owned(), timeout_ms: Some(timeout_ms) };
        let waited = client.call::<Wait>(&params, WAIT_TIMEOUT + RESPONSE_SLACK)?;
        match (waited.result, waited.status) {
            (Some(result), _) => return Ok(result),
            // A gateway that is stopping answers at once.
            (None, RunStatus::Timeout) => std::thread::sleep(WAIT_PAUSE),
            (None, _) => {
                let error = waited.error.unwrap_or_else(|| "the run has no result".to_owned());
                return Err(Problem::new(ErrorCode::Failed, error));
            }
        }
    }
}

/// Aborts the run on a second connection; the first one is busy reading events.
fn abort_run(request: &AgentRequest, context: &Context) -> Result<(), Problem> {
    let params =
        ChatAbortParams { session_key: request.session.to_string(), run_id: Some(request.run.clone()) };
    gateway::connect(context)?.call::<Abort>(&params, QUERY_TIMEOUT).map(drop)
}
