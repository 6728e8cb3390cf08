//! What the agent can look up: its skills and its memory.

use super::Lines;
use crate::prompt::inputs::PromptInputs;
use crate::prompt::shield;

/// Skills are of use only to who can read them.
pub(super) fn skills(inputs: &PromptInputs<'_>) -> String {
    if inputs.skills.is_empty() || !inputs.offers("read") {
        return String::new();
    }
    let mut lines = Lines::default();
    lines
        .add("Before you answer, look through the <description> of each skill in <available_skills>.")
        .add("- Exactly one clearly fits: read the file at its <location> with read, and follow it.")
        .add("- Several fit: take the most specific one.")
        .add("- None clearly fits: read none.")
        .add("Never read more than one up front.")
        .add("Where a skill writes to an outside service: few larger writes, one after another; honour 429 and Retry-After.")
        // Its tags are ours, and what skills say is escaped in it; but a description may have lines.
        .add(&shield::headings(&inputs.skills));
    lines.text()
}

pub(super) fn memory_recall(inputs: &PromptInputs<'_>) -> String {
    let (search, get) = (inputs.offers("memory_search"), inputs.offers("memory_get"));
    let how = match (search, get) {
        (true, true) => {
            "run memory_search over MEMORY.md and memory/*.md, then fetch only the lines you need with memory_get"
        }
        (true, false) => "run memory_search over MEMORY.md and memory/*.md",
        (false, true) => {
            "look into memory/YYYY-MM-DD.md of the days in question with memory_get, only the lines you need"
        }
        (false, false) => return String::new(),
    };
    Lines::default()
        .add(&format!(
            "Before you answer on past work, decisions, dates, people, preferences or todos: {how}. When you still do not \
             know, say that you looked."
        ))
        .add("Where it helps to check, cite the place: Source: path#line.")
        .add_if(
            inputs.offers("session_status"),
            "The time, the date and the day of the week come from session_status.",
        )
        .text()
}
