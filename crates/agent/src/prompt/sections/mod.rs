//! The sections of a prompt: their titles, their order, and who is told them. Each has a function that writes what
//! follows the title, and nothing when there is nothing to say.
//!
//! A fact about a tool is told only when the tool is offered.

mod acting;
mod chatting;
mod knowing;
mod surroundings;

use super::inputs::PromptInputs;

/// The first line, and all that is said in mode `none`.
pub(super) const IDENTITY: &str = "You are a personal agent, run by Tarsus on the machine of your user.";

/// A section.
pub(super) struct Section {
    pub(super) hashes: &'static str,
    pub(super) title: &'static str,
    /// Whether a minimal prompt has it.
    pub(super) in_minimal: bool,
    pub(super) body: fn(&PromptInputs<'_>) -> String,
}

const fn section(title: &'static str, body: fn(&PromptInputs<'_>) -> String) -> Section {
    Section { hashes: "##", title, in_minimal: true, body }
}

const fn only_in_full(title: &'static str, body: fn(&PromptInputs<'_>) -> String) -> Section {
    Section { hashes: "##", title, in_minimal: false, body }
}

pub(super) const BEFORE_FILES: &[Section] = &[
    section("Tooling", acting::tooling),
    section("Tool Call Style", acting::tool_call_style),
    section("Safety", acting::safety),
    section("Tarsus CLI Quick Reference", acting::quick_reference),
    section("Skills (mandatory)", knowing::skills),
    only_in_full("Memory Recall", knowing::memory_recall),
    section("Workspace", surroundings::workspace),
    section("Documentation", surroundings::documentation),
    section("Current Date & Time", surroundings::time),
    section("Workspace Files (injected)", surroundings::files),
    only_in_full("Reply Tags", chatting::reply_tags),
    only_in_full("Messaging", chatting::messaging),
    section("Group Chat Context", chatting::group),
    section("Inbound Context (trusted metadata)", chatting::inbound),
    section("Reasoning Format", chatting::reasoning_format),
];

/// What stands before the files themselves.
pub(super) const PROJECT: Section =
    Section { hashes: "#", title: "Project Context", in_minimal: true, body: surroundings::project };

pub(super) const AFTER_FILES: &[Section] = &[
    only_in_full("Silent Replies", chatting::silent_replies),
    only_in_full("Heartbeats", chatting::heartbeats),
    section("Runtime", surroundings::runtime),
];

/// The titles of all sections.
pub(super) fn titles() -> impl Iterator<Item = &'static str> {
    BEFORE_FILES.iter().chain([&PROJECT]).chain(AFTER_FILES).map(|section| section.title)
}

/// Lines of a section.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, line: &str) -> &mut Self {
        self.0.push_str(line);
        self.0.push('\n');
        self
    }

    fn add_if(&mut self, holds: bool, line: &str) -> &mut Self {
        if holds {
            self.add(line);
        }
        self
    }

    fn text(&mut self) -> String {
        std::mem::take(&mut self.0)
    }
}
