//! The environment of the agent: workspace, documentation, time zone, machine.

use super::Lines;
use crate::prompt::files::Content;
use crate::prompt::inputs::{PromptInputs, PromptMode};
use crate::prompt::shield::line;

pub(super) fn workspace(inputs: &PromptInputs<'_>) -> String {
    Lines::default()
        .add(&format!("Your workspace: {}", line(&inputs.workspace)))
        .add("Use it for all files unless you are told otherwise.")
        .text()
}

pub(super) fn documentation(inputs: &PromptInputs<'_>) -> String {
    let location = match &inputs.docs {
        Some(folder) => format!("{} and `tarsus docs`", line(folder)),
        None => "`tarsus docs`".to_owned(),
    };
    Lines::default()
        .add(&format!("Documentation of Tarsus: {location}."))
        .add("Read it before you answer questions about Tarsus.")
        .add_if(inputs.mode == PromptMode::Full, "Find new skills: https://clawhub.com")
        .text()
}

pub(super) fn time(inputs: &PromptInputs<'_>) -> String {
    inputs.time_zone.map(|zone| format!("Time zone: {}\n", line(zone))).unwrap_or_default()
}

pub(super) fn files(inputs: &PromptInputs<'_>) -> String {
    if inputs.files.is_empty() {
        return String::new();
    }
    "The user's own files are included below, under Project Context.\n".to_owned()
}

pub(super) fn project(inputs: &PromptInputs<'_>) -> String {
    if inputs.files.is_empty() {
        return String::new();
    }
    let has_soul =
        inputs.files.iter().any(|file| file.name == "SOUL.md" && matches!(file.content, Content::Text(_)));
    Lines::default()
        .add("Current files of your workspace:")
        .add_if(
            has_soul,
            "Take on the persona and tone of SOUL.md wherever the instructions above do not say otherwise.",
        )
        .text()
}

pub(super) fn runtime(inputs: &PromptInputs<'_>) -> String {
    let facts = &inputs.runtime;
    let capabilities = match facts.capabilities {
        [] => "none".to_owned(),
        some => some.join(","),
    };
    let channel = inputs.inbound.map(|inbound| inbound.channel);
    let known = [
        ("agent", Some(inputs.agent)),
        ("host", facts.host),
        ("repo", inputs.is_repository.then_some(&*inputs.workspace)),
        ("os", facts.os),
        ("model", facts.model),
        ("default_model", facts.default_model),
        ("shell", facts.shell),
        ("channel", channel),
        ("capabilities", Some(&*capabilities)),
        ("thinking", Some(facts.thinking.as_str())),
    ];
    // A separator in a value would start another fact.
    let fact =
        |(name, value): (&str, Option<&str>)| Some(format!("{name}={}", line(&value?.replace('|', "/"))));
    let facts_line: Vec<String> = known.into_iter().filter_map(fact).collect();
    let reasoning = facts.reasoning.as_str();
    Lines::default()
        .add(&format!("Runtime: {}", facts_line.join(" | ")))
        .add(&format!("Reasoning: {reasoning} (/reasoning changes it)"))
        .text()
}
