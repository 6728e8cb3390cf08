//! Who answers: a slash command, of ours or of a skill, else the Application Manager, else the model.

use std::sync::Arc;

use tarsus_protocol::event::AppsChanged;
use tarsus_store::StoreError;

use crate::commands::Command;
use crate::manager::Heard;
use crate::runtime::Runtime;
use crate::skill_commands::{Called, Dispatched, Invoked};
use crate::turn::Said;
use crate::{commands, manager, skill_commands};

/// What is answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The words.
    pub text: String,
    /// What was done to apps meanwhile.
    pub apps: Vec<AppsChanged>,
    /// Whether the session has a new transcript now, which the answer is the first item of.
    pub begins_anew: bool,
}

impl Answer {
    /// Only words.
    pub fn words(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// Who answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answers {
    /// One of us, with this.
    Answer(Answer),
    /// The model; where the message calls for a skill, it is told so.
    Model(Option<Invoked>),
    /// A tool, to which the command of a skill leads.
    Tool(Dispatched),
    /// A summary of the conversation so far, for the model.
    Summary {
        /// What the person wants to be kept in mind.
        wish: String,
    },
    /// Nobody: the run was called off before something was done for it.
    CalledOff,
}

/// Whether nobody but the model would answer a message; nothing is done to find that out. Must be called where it may
/// block.
///
/// # Errors
/// When the store cannot be read.
pub fn is_for_the_model(runtime: &Runtime, said: &Said) -> Result<bool, StoreError> {
    if is_without_words(said) {
        return Ok(true);
    }
    if commands::read(&said.text).is_some_and(|(command, _)| command != Command::Skill) {
        return Ok(false);
    }
    match skill_called(runtime, said) {
        Some(called) => Ok(matches!(called, Called::Model(_))),
        None => manager::passes_on(runtime, said),
    }
}

/// Whether a message is a command, of ours or of a skill.
pub fn is_a_command(runtime: &Runtime, said: &Said) -> bool {
    commands::read(&said.text).is_some() || skill_called(runtime, said).is_some()
}

/// The skill that a message calls for, by its own command or by `/skill`.
fn skill_called(runtime: &Runtime, said: &Said) -> Option<Called> {
    let agent = said.session.agent();
    match commands::read(&said.text) {
        Some((_, line)) => Some(skill_commands::named(runtime, agent, line)),
        None => skill_commands::called(runtime, agent, &said.text),
    }
}

/// Only something that is attached was sent.
fn is_without_words(said: &Said) -> bool {
    said.text.trim().is_empty()
}

/// Finds out who answers. Must be called inside a tokio runtime, where it may block.
///
/// # Errors
/// When the store cannot be read or written.
pub fn answer(runtime: &Arc<Runtime>, said: &Said) -> Result<Answers, StoreError> {
    if is_without_words(said) {
        return Ok(Answers::Model(None));
    }
    match commands::read(&said.text) {
        Some((Command::Compact, wish)) => return Ok(Answers::Summary { wish: wish.to_owned() }),
        Some((Command::Skill, _)) | None => {}
        Some((command, rest)) => {
            // Quickly done, and some of them change the session.
            if !runtime.runs.act(&said.run) {
                return Ok(Answers::CalledOff);
            }
            return commands::answer(runtime, said, command, rest).map(Answers::Answer);
        }
    }
    match skill_called(runtime, said) {
        Some(Called::Words(text)) => return Ok(Answers::Answer(Answer::words(text))),
        Some(Called::Model(invoked)) => return Ok(Answers::Model(Some(invoked))),
        Some(Called::Tool(dispatched)) => return Ok(Answers::Tool(dispatched)),
        None => {}
    }
    Ok(match manager::answer(runtime, said)? {
        Heard::Answered(answer) => Answers::Answer(answer),
        Heard::PassedOn => Answers::Model(None),
        Heard::CalledOff => Answers::CalledOff,
    })
}
