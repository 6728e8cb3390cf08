//! What is odd about a skill that loads: outside the AgentSkills rules, or written where nothing reads it.

use tarsus_protocol::DiagnosticCode;

use crate::{Diagnostic, Skill};

const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 1_024;

/// Notes what is odd about a skill; with the line of the file that was repaired, if one was.
pub(super) fn note(skill: &mut Skill, dir_name: &str, repaired: Option<u32>) {
    let mut notes = std::mem::take(&mut skill.diagnostics);
    if repaired.is_some() {
        let message = "a line of free text is not valid YAML and was read as it stands; put it in quotes";
        notes.push(Diagnostic {
            code: DiagnosticCode::LineRepaired,
            message: message.to_owned(),
            line: repaired,
        });
    }
    let mut note =
        |code: DiagnosticCode, message: String| notes.push(Diagnostic { code, message, line: None });
    if skill.name_from_dir {
        note(
            DiagnosticCode::NameFromFolder,
            "the frontmatter has no name, so that the folder's is used; add one".to_owned(),
        );
    } else if !is_proper(&skill.name) {
        let message = "the name is not 1 to 64 lower-case letters, digits and single dashes; other programs may refuse it";
        note(DiagnosticCode::NameOutsideRule, message.to_owned());
    } else if skill.name != dir_name {
        note(
            DiagnosticCode::NameNotFolder,
            "the name differs from the folder's; give both the same".to_owned(),
        );
    }
    let length = skill.description.chars().count();
    if length > LONGEST_DESCRIPTION {
        let message =
            format!("the description has {length} characters; other programs refuse more than 1,024");
        note(DiagnosticCode::DescriptionOutsideRule, message);
    }
    if skill.frontmatter.get("tools").is_some() {
        let message = "tools defined in the frontmatter are kept and never offered; use scripts or an installed program";
        note(DiagnosticCode::ToolsNotOffered, message.to_owned());
    }
    skill.diagnostics = notes;
}

fn is_proper(name: &str) -> bool {
    let is_letter = |character: char| {
        character == '-'
            || (character.is_alphanumeric() && character.to_lowercase().eq(std::iter::once(character)))
    };
    let has_dashes_inside = !name.starts_with('-') && !name.ends_with('-') && !name.contains("--");
    has_dashes_inside && name.chars().all(is_letter) && name.chars().count() <= LONGEST_NAME
}
