//! Printing what changes among the skills, until Ctrl-C.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tarsus_home::config::AgentId;
use tarsus_home::settings;
use tarsus_host::platform::Platform;
use tarsus_host::signals::Signals;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tarsus_skills::snapshot::{Basis, Surroundings};
use tarsus_skills::watch::{Event, Pace, Watcher};
use tarsus_skills::{Changes, Library, bundled};
use tokio::sync::mpsc;

use super::refresh;
use crate::commands::runtime;
use crate::context::Context;
use crate::output::Output;

/// Changes that wait to be printed; the watcher waits when there are more.
const WAITING: usize = 64;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    agent_id: &'a AgentId,
    added: &'a [String],
    changed: &'a [String],
    removed: &'a [String],
}

/// Watches the roots of all agents, and prints the changes of the one that this is about.
pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let config = context.load_config()?;
    let agent = context.agent(&config.view)?.id.clone();
    let settle = Duration::from_millis(u64::from(config.view.skills.load.watch_debounce_ms));
    let environment = context.environment.clone();
    let surroundings = Surroundings {
        platform: Platform::here().os,
        programs: environment.programs(),
        variables: Box::new(move |name| environment.variable(name)),
        nodes: Vec::new(),
    };
    let basis = Basis {
        home: context.home.clone(),
        config,
        settings: settings::load(&context.home)?,
        surroundings: Arc::new(surroundings),
    };
    let bundled = bundled::ensure(&context.home).inspect_err(
        |error| tracing::warn!(%error, "the bundled skills are left out: they cannot be put on disk"),
    );
    let library = Arc::new(Library::open(basis, bundled.ok(), context.clock.clone()));
    let failed = |error: std::io::Error| Problem::new(ErrorCode::Failed, format!("cannot watch: {error}"));
    runtime()?.block_on(async {
        let mut signals =
            Signals::listen().map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
        let (tell, mut told) = mpsc::channel(WAITING);
        // Nobody reads any more when the command ends.
        let tell = move |event| drop(tell.blocking_send(event));
        let watcher = Watcher::start(library, context.clock.clone(), Pace::settling_in(settle), tell)
            .map_err(failed)?;
        if !output.is_json() {
            output.text("watching; Ctrl-C ends it")?;
        }
        loop {
            tokio::select! {
                _ = signals.next() => break,
                Some(event) = told.recv() => print(&event, &agent, output)?,
            }
        }
        told.close();
        drop(watcher);
        Ok(ExitCode::Interrupted)
    })
}

fn print(event: &Event, agent: &AgentId, output: &mut Output) -> Result<(), Problem> {
    match event {
        Event::Changed(changes) => print_changes(changes, agent, output),
        Event::Polling(why) => {
            tracing::warn!(why, "the system cannot watch; everything is looked at from time to time");
            Ok(())
        }
    }
}

fn print_changes(
    changes: &BTreeMap<AgentId, Changes>,
    agent: &AgentId,
    output: &mut Output,
) -> Result<(), Problem> {
    let Some(Changes { added, changed, removed, .. }) = changes.get(agent) else { return Ok(()) };
    if output.is_json() {
        return output.json_line(&Line { agent_id: agent, added, changed, removed });
    }
    output.text(&refresh::changes_text(added, changed, removed))
}
