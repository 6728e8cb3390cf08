//! `skills watch`: prints changes of skills until Ctrl-C.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tarsus_home::config::AgentId;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tarsus_skills::watch::{SkillsWatcher, WatchEvent, WatchTiming};
use tarsus_skills::{CatalogChanges, Library, bundled};
use tokio::sync::mpsc;

use super::agent_skills::evaluation_inputs;
use super::refresh;
use crate::commands::runtime;
use crate::context::Context;
use crate::output::Output;
use crate::stop_requests::{StopRequests, USUAL_GRACE};

/// Capacity of the queue of changes; the watcher blocks while it is full.
const QUEUE_LEN: usize = 64;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeLine<'a> {
    agent_id: &'a AgentId,
    added: &'a [String],
    changed: &'a [String],
    removed: &'a [String],
}

/// Watches the roots of all agents and prints the changes of the chosen one.
pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let config = context.config()?;
    let agent = context.agent(&config.view)?.id.clone();
    let settle = Duration::from_millis(u64::from(config.view.skills.load.watch_debounce_ms));
    let inputs = evaluation_inputs(context, config)?;
    let bundled = bundled::ensure(&context.home).inspect_err(
        |error| tracing::warn!(%error, "the bundled skills are left out, because they cannot be unpacked"),
    );
    let library = Arc::new(Library::open(inputs, bundled.ok(), context.clock.clone()));
    let failed = |error: std::io::Error| Problem::new(ErrorCode::Failed, format!("cannot watch: {error}"));
    runtime()?.block_on(async {
        let mut stop_requests = StopRequests::listen(USUAL_GRACE)?;
        let (sender, mut events) = mpsc::channel(QUEUE_LEN);
        // The receiver is closed when the command ends.
        let publish = move |event| drop(sender.blocking_send(event));
        let watcher =
            SkillsWatcher::start(library, context.clock.clone(), WatchTiming::with_settle(settle), publish)
                .map_err(failed)?;
        if !output.is_json() {
            output.text("watching; press Ctrl-C to stop")?;
        }
        loop {
            tokio::select! {
                _ = stop_requests.next() => break,
                Some(event) = events.recv() => print(&event, &agent, output)?,
            }
        }
        events.close();
        drop(watcher);
        Ok(ExitCode::Interrupted)
    })
}

fn print(event: &WatchEvent, agent: &AgentId, output: &mut Output) -> Result<(), Problem> {
    match event {
        WatchEvent::Changed(changes) => print_changes(changes, agent, output),
        WatchEvent::Polling(why) => {
            tracing::warn!(why, "the system cannot watch; polling instead");
            Ok(())
        }
    }
}

fn print_changes(
    changes: &BTreeMap<AgentId, CatalogChanges>,
    agent: &AgentId,
    output: &mut Output,
) -> Result<(), Problem> {
    let Some(CatalogChanges { added, changed, removed, .. }) = changes.get(agent) else { return Ok(()) };
    if output.is_json() {
        return output.json_line(&ChangeLine { agent_id: agent, added, changed, removed });
    }
    output.text(&refresh::changes_text(added, changed, removed))
}
