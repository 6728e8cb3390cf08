//! Knowledge that the agent can look up: skills and memory.

use super::Lines;
use crate::prompt::inputs::PromptInputs;
use crate::prompt::shield;

/// Empty without the `read` tool, as the agent could not load a skill.
pub(super) fn skills(inputs: &PromptInputs<'_>) -> String {
    if inputs.skills.is_empty() || !inputs.offers("read") {
        return String::new();
    }
    let mut lines = Lines::default();
    lines
        .add("Before you reply, check the <description> of every skill in <available_skills>.")
        .add("- One skill clearly matches: read the file at its <location> with `read`, and follow it.")
        .add("- Several match: choose the most specific one.")
        .add("- None clearly matches: read none.")
        .add("Never read more than one skill in advance.")
        .add("When a skill writes to an external service, batch the writes and make them one after another.")
        .add("Rate limits: on HTTP 429, wait for Retry-After before retrying.")
        // Its tags are ours and its text is escaped, but a description may have several lines.
        .add(&shield::headings(&inputs.skills));
    lines.text()
}

pub(super) fn memory_recall(inputs: &PromptInputs<'_>) -> String {
    if !inputs.offers("memory_get") {
        return String::new();
    }
    Lines::default()
        .add(
            "Before you answer questions about past work, decisions, dates, people, preferences or todos, read the relevant \
             lines of memory/YYYY-MM-DD.md with memory_get.",
        )
        .add("If you still do not know, say that you checked.")
        .add("Cite the source where that helps: Source: path#line.")
        .add_if(
            inputs.offers("session_status"),
            "Get the current time, date and weekday from session_status.",
        )
        .text()
}
