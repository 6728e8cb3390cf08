//! The agent in the gateway that runs the state folder.

use std::time::Duration;

use serde_json::{Value, json};
use tarsus_host::signals::Signals;
use tarsus_protocol::rpc::chat::AgentResult;
use tarsus_protocol::{ErrorCode, Problem};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::spawn_blocking;

use super::Asked;
use super::piece::Pieces;
use crate::context::Context;
use crate::gateway::client::{Client, Told};
use crate::gateway::{self, PATIENCE};
use crate::output::Output;

/// How long the gateway is asked to wait at a time.
const WAIT: Duration = Duration::from_secs(30);
/// How much longer its answer may take.
const SLACK: Duration = Duration::from_secs(10);

/// What a run brings, on the way from the thread that listens.
enum News {
    Words(String),
    LineBreak,
}

pub(super) fn run(
    asked: Asked,
    mut pieces: Pieces,
    context: &Context,
    output: &mut Output,
) -> Result<AgentResult, Problem> {
    let mut client = gateway::connect(context)?;
    let mut params = json!({
        "message": asked.message,
        "idempotencyKey": asked.run,
        "sessionKey": asked.session.as_str(),
    });
    if let Some(model) = &asked.model {
        params["model"] = json!(model);
    }
    client.call("agent", Some(params), PATIENCE)?;
    crate::commands::runtime()?.block_on(async {
        let mut signals =
            Signals::listen().map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
        let (tell, mut news) = unbounded_channel();
        let (run, streams) = (asked.run.clone(), pieces.are_wanted());
        let mut following = spawn_blocking(move || {
            if streams {
                follow(&mut client, &run, &tell)?;
            }
            result(&mut client, &run)
        });
        let result = loop {
            tokio::select! {
                biased;
                Some(news) = news.recv() => match news {
                    News::Words(text) => pieces.print(&text, output)?,
                    News::LineBreak => pieces.break_line(output)?,
                },
                done = &mut following => break done,
                _ = signals.next() => call_off(&asked, context)?,
            }
        };
        pieces.break_line(output)?;
        result.map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?
    })
}

/// Listens until the run is over.
fn follow(client: &mut Client, run: &str, tell: &UnboundedSender<News>) -> Result<(), Problem> {
    loop {
        let Told { event, payload } = client.hear_event(WAIT)?;
        if payload["runId"] != run {
            continue;
        }
        let news = match (event.as_str(), payload["state"].as_str(), payload["stream"].as_str()) {
            ("chat", Some("delta"), _) => {
                News::Words(payload["deltaText"].as_str().unwrap_or_default().to_owned())
            }
            ("chat", Some("status"), _) => continue,
            ("chat", Some(_), _) => return Ok(()),
            ("agent", _, Some("tool")) => News::LineBreak,
            ("agent", _, Some("lifecycle")) if payload["data"]["phase"] == "retry" => News::LineBreak,
            _ => continue,
        };
        // Whoever printed it is gone, and so is this process soon.
        tell.send(news).ok();
    }
}

/// Waits until the run is over; what it came to.
fn result(client: &mut Client, run: &str) -> Result<AgentResult, Problem> {
    loop {
        let params =
            json!({ "runId": run, "timeoutMs": u64::try_from(WAIT.as_millis()).unwrap_or(u64::MAX) });
        let mut waited: Value = client.call("agent.wait", Some(params), WAIT + SLACK)?;
        if !waited["result"].is_null() {
            return serde_json::from_value(waited["result"].take()).map_err(|error| {
                Problem::new(ErrorCode::Failed, format!("what the gateway answers cannot be read: {error}"))
            });
        }
    }
}

/// Calls the run off, on a connection of its own: the other one listens.
fn call_off(asked: &Asked, context: &Context) -> Result<(), Problem> {
    let params = json!({ "sessionKey": asked.session.as_str(), "runId": asked.run });
    gateway::connect(context)?.call("chat.abort", Some(params), PATIENCE).map(drop)
}
