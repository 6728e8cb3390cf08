//! Who answers: a slash command, else the Application Manager, else nobody but a friendly word.

use tarsus_protocol::event::AppsChanged;
use tarsus_store::StoreError;

use crate::manager::Heard;
use crate::runtime::Runtime;
use crate::turn::Said;
use crate::{commands, manager};

/// What is said when nobody else answers.
const NO_MODEL: &str = "No language model answers here yet, so I cannot talk about this. What works without one: \
    say \"application manager\" for the menu of your apps, \"open <app>\" or \"close <app>\" for one of them, \
    and /help for the commands.";

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

/// Finds somebody who answers; `None` when the run is called off before something is done for it. Must be called inside a
/// tokio runtime, where it may block.
///
/// # Errors
/// When the store cannot be read or written.
pub fn answer(runtime: &Runtime, said: &Said) -> Result<Option<Answer>, StoreError> {
    if let Some((command, rest)) = commands::read(&said.text) {
        // Quickly done, and some of them change the session.
        if !runtime.runs.act(&said.run) {
            return Ok(None);
        }
        return commands::answer(runtime, said, command, rest).map(Some);
    }
    Ok(match manager::answer(runtime, said)? {
        Heard::Answered(answer) => Some(answer),
        Heard::PassedOn => Some(Answer::words(NO_MODEL)),
        Heard::CalledOff => None,
    })
}
