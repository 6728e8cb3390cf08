//! One skill at length.

use tarsus_home::Home;
use tarsus_protocol::skills::{SkillState, SkillStatus};

use super::{list, needs, section};
use crate::text::{columns, printable};

/// Title and state, description, where it is, what it needs, how to get that.
pub fn text(skill: &SkillStatus<'_>, home: &Home) -> String {
    let mut text = format!("{}  {}\n", printable(&skill.name), title(skill));
    if !skill.description.is_empty() {
        text.push_str(&format!("\n{}\n", printable(&skill.description.replace('\n', " "))));
    }
    text.push_str(&format!("\n{}", columns(&about(skill, home))));
    section(&mut text, "Requirements", &requirements(skill));
    section(&mut text, "Install options", &install(skill));
    section(&mut text, "Noticed", &noticed(skill));
    if let Some(next) = next_step(skill) {
        text.push_str(&format!("\n{next}\n"));
    }
    text
}

fn title(skill: &SkillStatus<'_>) -> &'static str {
    match skill.status {
        SkillState::Ready => "+ Ready",
        SkillState::Missing if skill.platform_incompatible => "x Not for this system",
        SkillState::Missing => "x Missing requirements",
        SkillState::Blocked => "x Blocked (security)",
        SkillState::NotAllowed => "x Not allowed (skills.allowBundled)",
        SkillState::Invalid => "x Invalid",
        SkillState::Degraded => "~ Degraded",
        SkillState::Disabled => "- Disabled",
        SkillState::Filtered => "- Filtered (not on this agent's list)",
        SkillState::Shadowed => "- Shadowed",
    }
}

fn about(skill: &SkillStatus<'_>, home: &Home) -> Vec<[String; 2]> {
    let path = |path: &str| printable(&home.display(path.as_ref()));
    let mut rows = vec![
        ["  Source".to_owned(), list::source(&skill.source).to_owned()],
        ["  Path".to_owned(), path(&skill.file_path)],
    ];
    let optional = [
        ("  Homepage", skill.homepage.as_deref().map(printable)),
        ("  Primary env", skill.primary_env.as_deref().map(printable)),
        ("  Key", (skill.skill_key != skill.name).then(|| printable(&skill.skill_key))),
        ("  Shadowed by", skill.shadowed_by.as_ref().map(|winner| path(&winner.file_path))),
    ];
    rows.extend(optional.into_iter().filter_map(|(label, value)| Some([label.to_owned(), value?])));
    rows
}

/// Every need, with whether it is met. Of several programs that would do, one is enough.
fn requirements(skill: &SkillStatus<'_>) -> Vec<[String; 3]> {
    let mut rows = Vec::new();
    let missing = needs::kinds(&skill.missing);
    for ((kind, names), (_, missing)) in needs::kinds(&skill.requirements).iter().zip(&missing) {
        let row = |name: &str, met: bool| {
            let state = if met { "+ ok" } else { "x missing" };
            [format!("  {}", kind.word()), printable(name), state.to_owned()]
        };
        if kind.one_is_enough() && !names.is_empty() {
            rows.push(row(&names.join(", "), missing.is_empty()));
        } else {
            rows.extend(names.iter().map(|name| row(name, !missing.contains(name))));
        }
    }
    rows
}

fn install(skill: &SkillStatus<'_>) -> Vec<[String; 2]> {
    let wanted = skill.status == SkillState::Missing;
    let options = skill.install.iter().filter(|_| wanted);
    options.map(|option| [format!("  {}", option.kind.as_str()), printable(&option.label)]).collect()
}

fn noticed(skill: &SkillStatus<'_>) -> Vec<[String; 1]> {
    let line = |line: Option<u32>| line.map(|line| format!("line {line}: ")).unwrap_or_default();
    skill
        .diagnostics
        .iter()
        .map(|remark| [format!("  {}{}", line(remark.line), printable(&remark.message))])
        .collect()
}

fn next_step(skill: &SkillStatus<'_>) -> Option<String> {
    let key = super::quoted(&printable(&skill.skill_key));
    match skill.status {
        SkillState::Disabled => Some(format!("`tarsus skills enable {key}` switches it on")),
        SkillState::Missing if skill.missing.env.iter().any(|name| skill.primary_env.as_deref() == Some(name)) => {
            Some(format!("`tarsus config set skills.entries.{key}.apiKey …` stores its key"))
        }
        SkillState::Missing if !skill.missing.env.is_empty() => Some(format!(
            "`tarsus config set skills.entries.{key}.env.{} …` sets it",
            printable(&skill.missing.env[0])
        )),
        SkillState::NotAllowed => Some(format!("add {key} to skills.allowBundled to allow it")),
        SkillState::Filtered => Some("add it to the agent's `skills` list to allow it".to_owned()),
        SkillState::Degraded => Some(
            "it is listed but not offered to the model; mend the file, or set skills.load.lenient to take it as it is"
                .to_owned(),
        ),
        _ => None,
    }
}
