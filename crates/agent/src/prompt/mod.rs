//! The system prompt.
//!
//! [`build`] is a pure function of [`PromptInputs`]: the same values give the same text, so that providers can cache it.
//! No text of a file, a skill or a name becomes a heading or a tag of the prompt.

mod budget;
pub mod chat;
pub mod files;
mod inputs;
pub mod quote;
mod report;
mod sections;
mod shield;
mod templates;
pub mod workspace;

pub use budget::skills_within;
pub use inputs::{
    GroupMessages, InboundMeta, Machine, ModelFacts, PromptInputs, PromptMode, PromptSource, RuntimeFacts,
    SMALL_WINDOW, ToolLine,
};
pub use report::report_text;

use sections::{AFTER_FILES, BEFORE_FILES, IDENTITY, PROJECT, Section};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// In order; none is empty.
    pub sections: Vec<PromptSection>,
}

/// A section of the prompt, or a workspace file in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSection {
    /// The title of the section, or the name of the file.
    pub name: &'static str,
    /// Its text with its heading, without a line break at the end.
    pub text: String,
    /// Characters of the file that did not fit and are left out.
    pub left_out: usize,
}

impl Prompt {
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.sections.iter().map(|section| section.text.as_str()).collect();
        texts.join("\n")
    }
}

#[must_use]
pub fn build(inputs: &PromptInputs<'_>) -> Prompt {
    let mut sections = vec![PromptSection { name: "Identity", text: IDENTITY.to_owned(), left_out: 0 }];
    if inputs.mode != PromptMode::None {
        sections.extend(BEFORE_FILES.iter().filter_map(|section| render(section, inputs)));
        sections.extend(render(&PROJECT, inputs));
        sections.extend(budget::fit_files(&inputs.files, inputs.window));
        sections.extend(AFTER_FILES.iter().filter_map(|section| render(section, inputs)));
    }
    Prompt { sections }
}

/// The section, unless it is empty or not for this mode.
fn render(section: &Section, inputs: &PromptInputs<'_>) -> Option<PromptSection> {
    if inputs.mode == PromptMode::Minimal && !section.in_minimal {
        return None;
    }
    let body = (section.body)(inputs);
    let text = format!("{} {}\n{}", section.hashes, section.title, body.trim_end());
    (!body.is_empty()).then_some(PromptSection { name: section.title, text, left_out: 0 })
}

#[cfg(test)]
mod tests;
