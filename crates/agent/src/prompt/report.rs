//! The size of a prompt by section, for people and programs.

use tarsus_models::estimate_tokens;
use tarsus_protocol::prompt::{PromptPart, PromptReport};

use super::inputs::PromptInputs;
use super::{Prompt, PromptSection};

impl Prompt {
    /// The sizes of a prompt that was built from these inputs.
    #[must_use]
    pub fn report(&self, inputs: &PromptInputs<'_>) -> PromptReport {
        let text = self.text();
        let part = |part: &PromptSection| PromptPart {
            name: part.name.to_owned(),
            chars: part.text.chars().count(),
            tokens: estimate_tokens(&part.text),
            left_out: part.left_out,
        };
        PromptReport {
            agent_id: inputs.agent.to_owned(),
            mode: inputs.mode.as_str().to_owned(),
            window: inputs.window,
            chars: text.chars().count(),
            tokens: estimate_tokens(&text),
            parts: self.sections.iter().map(part).collect(),
        }
    }
}

/// The report as text, for `/context`.
#[must_use]
pub fn report_text(report: &PromptReport) -> String {
    let percent = (report.tokens * 100).checked_div(u64::from(report.window));
    let share = percent.map(|percent| format!(", {percent} % of {}", report.window)).unwrap_or_default();
    let mut text = format!(
        "Prompt of {} ({}): {} characters, about {} tokens{share}\n",
        report.agent_id, report.mode, report.chars, report.tokens
    );
    for part in &report.parts {
        let left_out =
            if part.left_out > 0 { format!(", {} left out", part.left_out) } else { String::new() };
        text.push_str(&format!(
            "- {}: {} characters, about {} tokens{left_out}\n",
            part.name, part.chars, part.tokens
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_lists_every_part_and_omitted_characters() {
        let part = |name: &str, left_out| PromptPart { name: name.to_owned(), chars: 8, tokens: 2, left_out };
        let report = PromptReport {
            agent_id: "main".to_owned(),
            mode: "full".to_owned(),
            window: 4_096,
            chars: 17,
            tokens: 400,
            parts: vec![part("Safety", 0), part("AGENTS.md", 9)],
        };
        assert_eq!(
            report_text(&report),
            "Prompt of main (full): 17 characters, about 400 tokens, 9 % of 4096\n\
             - Safety: 8 characters, about 2 tokens\n\
             - AGENTS.md: 8 characters, about 2 tokens, 9 left out\n"
        );
    }
}
