//! The system prompt, made of plain values: the same values give the same text, so that a provider can keep what it has
//! read. Parts come in one order and stay apart: nothing that a file, a skill or a name says becomes a heading or a tag
//! of ours.
//!
//! Promises: [`build`] reads no clock, disk or configuration. Leaves to others: [`gather`] finds the values, [`files`]
//! reads the workspace, [`quote`] keeps apart what comes later, in messages and results of tools.

mod budget;
pub mod chat;
pub mod files;
pub mod gather;
mod inputs;
pub mod quote;
mod report;
mod sections;
mod shield;
mod templates;
pub mod workspace;

pub use budget::skills_within;
pub use inputs::{Group, InboundMeta, Mode, PromptInputs, RuntimeFacts, ToolLine};
pub use report::as_text;

use sections::{AFTER_FILES, BEFORE_FILES, IDENTITY, PROJECT, Section};

/// A system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Its parts, in order. None is empty.
    pub parts: Vec<Part>,
}

/// A section, or a file of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The title of the section, or the name of the file.
    pub name: &'static str,
    /// Its text with its heading, without a line break at the end.
    pub text: String,
    /// Characters of the file that did not fit and are left out.
    pub left_out: usize,
}

impl Prompt {
    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        let parts: Vec<&str> = self.parts.iter().map(|part| part.text.as_str()).collect();
        parts.join("\n")
    }
}

/// Makes the prompt.
#[must_use]
pub fn build(inputs: &PromptInputs<'_>) -> Prompt {
    let mut parts = vec![Part { name: "Identity", text: IDENTITY.to_owned(), left_out: 0 }];
    if inputs.mode != Mode::None {
        parts.extend(BEFORE_FILES.iter().filter_map(|section| said(section, inputs)));
        parts.extend(said(&PROJECT, inputs));
        parts.extend(budget::fitted(inputs.files, inputs.window));
        parts.extend(AFTER_FILES.iter().filter_map(|section| said(section, inputs)));
    }
    Prompt { parts }
}

/// A section, unless it has nothing to say.
fn said(section: &Section, inputs: &PromptInputs<'_>) -> Option<Part> {
    if inputs.mode == Mode::Minimal && !section.in_minimal {
        return None;
    }
    let body = (section.body)(inputs);
    let text = format!("{} {}\n{}", section.hashes, section.title, body.trim_end());
    (!body.is_empty()).then_some(Part { name: section.title, text, left_out: 0 })
}

#[cfg(test)]
mod tests;
