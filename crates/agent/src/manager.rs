//! The Application Manager in a chat: its conversation goes on where the last message of the session left it.

use serde_json::{Value, json};
use tarsus_apps::Registry;
use tarsus_apps::conversation::{Action, Conversation, Event, Said as Word};
use tarsus_apps::desk::{Asker, Desk, Surface, Talked};
use tarsus_protocol::event::{AppsAction, AppsChanged};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{Durability, StoreError};
use tokio::runtime::Handle;

use crate::answer::Answer;
use crate::model::chosen;
use crate::runtime::Runtime;
use crate::turn::Said;

/// What it makes of a message.
pub enum Heard {
    /// It answers.
    Answered(Answer),
    /// The message is not for it.
    PassedOn,
    /// The run was called off before anything was done.
    CalledOff,
}

/// Hears a message.
///
/// # Errors
/// When the store cannot be read or written.
pub fn answer(runtime: &Runtime, said: &Said) -> Result<Heard, StoreError> {
    talk(runtime, said, Event::Line(&said.text))
}

/// The menu, whatever was talked about before.
///
/// # Errors
/// When the store cannot be read or written.
pub fn menu(runtime: &Runtime, said: &Said) -> Result<Answer, StoreError> {
    Ok(match talk(runtime, said, Event::Open)? {
        Heard::Answered(answer) => answer,
        // Nobody else opens the menu, and whoever asks for it acts already.
        Heard::PassedOn | Heard::CalledOff => Answer::default(),
    })
}

/// Whether a message is not for it; nothing is done to find that out.
///
/// # Errors
/// When the store cannot be read.
pub fn passes_on(runtime: &Runtime, said: &Said) -> Result<bool, StoreError> {
    let (desk, surface, before) = begin(runtime, said)?;
    Ok(desk.passes_on(before, Event::Line(&said.text), &surface))
}

/// Where a talk happens, what is seen there, and how far it is.
fn begin(runtime: &Runtime, said: &Said) -> Result<(Desk, Surface, Conversation), StoreError> {
    let (given, session) = (&runtime.given, &said.session);
    let asker = Asker { agent: session.agent().to_string(), session: Some(session.to_string()) };
    let audit = Ok(given.audit.clone());
    let desk = Desk::new(&given.home, audit, given.clock.clone(), asker, given.environment.clone());
    let desk = if said.may_change_apps { desk } else { desk.without_changes(no_changes()) };
    let surface = Surface {
        registry_path: given.home.display(Registry::of(&given.home).path()),
        person: true,
        // Who is not understood is passed on to it.
        model: has_model(runtime, said)?,
        locale: given.language,
    };
    let before = given.store.conversation(session)?.map(|kept| understood(kept.state)).unwrap_or_default();
    Ok((desk, surface, before))
}

fn talk(runtime: &Runtime, said: &Said, event: Event<'_>) -> Result<Heard, StoreError> {
    let (given, session) = (&runtime.given, &said.session);
    let (desk, surface, before) = begin(runtime, said)?;
    let was_open = before.is_open();
    let may_act = || runtime.runs.act(&said.run);
    let talked = Handle::current().block_on(desk.talk_if(before, event, &surface, &may_act));
    // How far the talk is kept only together with the answer.
    if talked.called_off || !(talked.passed_on || may_act()) {
        return Ok(Heard::CalledOff);
    }
    let is_open = talked.conversation.is_open();
    if was_open || is_open {
        let state = is_open.then(|| json!(talked.conversation));
        let at_ms = given.clock.wall_ms();
        given.store.set_conversation(session.clone(), state.as_ref(), at_ms, Durability::KillSafe).wait()?;
    }
    if talked.passed_on {
        return Ok(Heard::PassedOn);
    }
    let apps = changes(&talked, &desk);
    Ok(Heard::Answered(Answer { text: talked.text().trim_end().to_owned(), apps, begins_anew: false }))
}

fn has_model(runtime: &Runtime, said: &Said) -> Result<bool, StoreError> {
    let own = runtime.given.store.session(&said.session)?.and_then(|session| session.settings.model);
    let config = (runtime.given.config)();
    Ok(!chosen(&config, said.session.agent(), own.as_ref().map(|model| model.as_str())).is_empty())
}

fn no_changes() -> Problem {
    Problem::new(ErrorCode::Denied, "changing the registry of apps needs the scope operator.admin")
        .hint("nothing was changed; `tarsus apps` changes it on the command line")
}

/// A state that another version wrote may say nothing to this one: the conversation is over then.
pub(crate) fn understood(state: Value) -> Conversation {
    serde_json::from_value(state).unwrap_or_else(|error| {
        tracing::warn!(%error, "a conversation of the Application Manager cannot be read and is begun anew");
        Conversation::default()
    })
}

/// What was done to apps, as everybody is told.
fn changes(talked: &Talked, desk: &Desk) -> Vec<AppsChanged> {
    let words = talked.replies.iter().flat_map(|reply| &reply.said);
    let done: Vec<_> = words
        .filter_map(|word| match word {
            Word::Created => Some((AppsAction::Create, None)),
            Word::Saved { action: Action::Delete, name } => Some((AppsAction::Delete, Some(name))),
            Word::Saved { name, .. } => Some((AppsAction::Save, Some(name))),
            Word::Launched { name, .. } => Some((AppsAction::Launch, Some(name))),
            Word::Stopped { name, .. } => Some((AppsAction::Stop, Some(name))),
            _ => None,
        })
        .collect();
    if done.is_empty() {
        return Vec::new();
    }
    // Another process may have broken the file meanwhile; what was done is told all the same.
    let hash = desk.load().ok().and_then(|loaded| loaded.hash);
    let told = |(action, name): (AppsAction, Option<&String>)| AppsChanged {
        action,
        name: name.cloned(),
        hash: hash.clone(),
    };
    done.into_iter().map(told).collect()
}
