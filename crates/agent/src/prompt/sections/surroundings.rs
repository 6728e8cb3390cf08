//! Where the agent is: its folder and files, the guide, the time zone, the machine.

use super::Lines;
use crate::prompt::files::Content;
use crate::prompt::inputs::PromptInputs;
use crate::prompt::shield::line;

pub(super) fn workspace(inputs: &PromptInputs<'_>) -> String {
    Lines::default()
        .add(&format!("Your folder: {}", line(&inputs.workspace)))
        .add("It is the one workspace for files, unless you are told otherwise.")
        .add_if(inputs.offers("exec"), "After edits there, commit them.")
        .text()
}

pub(super) fn documentation(inputs: &PromptInputs<'_>) -> String {
    let place = match &inputs.docs {
        Some(folder) => format!("{} and `tarsus docs`", line(folder)),
        None => "`tarsus docs`".to_owned(),
    };
    Lines::default()
        .add(&format!("The guide to Tarsus: {place}. Consult it first on how Tarsus works."))
        .add_if(
            inputs.offers("exec"),
            "To find a fault, run `tarsus status` yourself; ask the user only where you cannot.",
        )
        .text()
}

pub(super) fn time(inputs: &PromptInputs<'_>) -> String {
    inputs.time_zone.map(|zone| format!("Time zone: {}\n", line(zone))).unwrap_or_default()
}

pub(super) fn files(inputs: &PromptInputs<'_>) -> String {
    if inputs.files.is_empty() {
        return String::new();
    }
    "The user's own files follow below as Project Context.\n".to_owned()
}

pub(super) fn project(inputs: &PromptInputs<'_>) -> String {
    if inputs.files.is_empty() {
        return String::new();
    }
    let has_soul =
        inputs.files.iter().any(|file| file.name == "SOUL.md" && matches!(file.content, Content::Text(_)));
    Lines::default()
        .add("Files of your workspace as they are now:")
        .add_if(
            has_soul,
            "SOUL.md says who you are: speak and act in that spirit wherever nothing above says otherwise.",
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
    // A value cannot be taken for two.
    let fact =
        |(name, value): (&str, Option<&str>)| Some(format!("{name}={}", line(&value?.replace('|', "/"))));
    let facts_line: Vec<String> = known.into_iter().filter_map(fact).collect();
    let reasoning = facts.reasoning.as_str();
    Lines::default()
        .add(&format!("Runtime: {}", facts_line.join(" | ")))
        .add(&format!("Reasoning: {reasoning} (/reasoning changes it)"))
        .text()
}
