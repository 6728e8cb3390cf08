//! Who answers: a slash command, else the Application Manager, else the model.

use std::sync::Arc;

use tarsus_protocol::event::AppsChanged;
use tarsus_store::StoreError;

use crate::manager::Heard;
use crate::runtime::Runtime;
use crate::turn::Said;
use crate::{commands, manager};

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
    /// The model.
    Model,
    /// Nobody: the run was called off before something was done for it.
    CalledOff,
}

/// Finds out who answers. Must be called inside a tokio runtime, where it may block.
///
/// # Errors
/// When the store cannot be read or written.
pub fn answer(runtime: &Arc<Runtime>, said: &Said) -> Result<Answers, StoreError> {
    if let Some((command, rest)) = commands::read(&said.text) {
        // Quickly done, and some of them change the session.
        if !runtime.runs.act(&said.run) {
            return Ok(Answers::CalledOff);
        }
        return commands::answer(runtime, said, command, rest).map(Answers::Answer);
    }
    Ok(match manager::answer(runtime, said)? {
        Heard::Answered(answer) => Answers::Answer(answer),
        Heard::PassedOn => Answers::Model,
        Heard::CalledOff => Answers::CalledOff,
    })
}
