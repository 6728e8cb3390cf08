//! The sections of a prompt: titles, order, and modes. Each has a function that writes its body; a section with an empty
//! body is left out.
//!
//! A tool is mentioned only if the agent has it.

mod behavior;
mod environment;
mod knowledge;
mod messaging;

use super::inputs::PromptInputs;

/// The first line, and the whole prompt in mode `none`.
pub(super) const IDENTITY: &str = "You are a personal agent, run by Tarsus on your user's machine.";

pub(super) struct Section {
    pub(super) hashes: &'static str,
    pub(super) title: &'static str,
    /// Whether a minimal prompt includes it.
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
    section("Tooling", behavior::tooling),
    section("Tool Call Style", behavior::tool_call_style),
    section("Safety", behavior::safety),
    section("Tarsus CLI Quick Reference", behavior::quick_reference),
    section("Skills (mandatory)", knowledge::skills),
    only_in_full("Memory Recall", knowledge::memory_recall),
    section("Workspace", environment::workspace),
    section("Documentation", environment::documentation),
    section("Current Date & Time", environment::time),
    section("Workspace Files (injected)", environment::files),
    only_in_full("Reply Tags", messaging::reply_tags),
    only_in_full("Messaging", messaging::messaging),
    section("Group Chat Context", messaging::group),
    section("Inbound Context (trusted metadata)", messaging::inbound),
    section("Reasoning Format", messaging::reasoning_format),
];

/// The section before the files themselves.
pub(super) const PROJECT: Section =
    Section { hashes: "#", title: "Project Context", in_minimal: true, body: environment::project };

pub(super) const AFTER_FILES: &[Section] = &[
    only_in_full("Silent Replies", messaging::silent_replies),
    only_in_full("Heartbeats", messaging::heartbeats),
    section("Runtime", environment::runtime),
];

/// The titles of all sections.
pub(super) fn titles() -> impl Iterator<Item = &'static str> {
    BEFORE_FILES.iter().chain([&PROJECT]).chain(AFTER_FILES).map(|section| section.title)
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, line: &str) -> &mut Self {
        self.0.push_str(line);
        self.0.push('\n');
        self
    }

    fn add_if(&mut self, condition: bool, line: &str) -> &mut Self {
        if condition {
            self.add(line);
        }
        self
    }

    fn text(&mut self) -> String {
        std::mem::take(&mut self.0)
    }
}
