//! Adds diagnostics to a skill that loads but violates the AgentSkills rules.

use tarsus_protocol::DiagnosticCode;

use crate::{Diagnostic, Skill};

const MAX_NAME_CHARS: usize = 64;
const MAX_DESCRIPTION_CHARS: usize = 1_024;

/// `repaired` is the line of the file that was repaired, if any.
pub(super) fn add_diagnostics(skill: &mut Skill, dir_name: &str, repaired: Option<u32>) {
    let mut notes = std::mem::take(&mut skill.diagnostics);
    if repaired.is_some() {
        let message = "a line of free text is not valid YAML and was read as plain text; put it in quotes";
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
            "the frontmatter has no name, so the folder's name is used; add one".to_owned(),
        );
    } else if !is_valid_name(&skill.name) {
        let message = "the name is not 1 to 64 lower-case letters, digits and single hyphens; other programs may reject it";
        note(DiagnosticCode::NameOutsideRule, message.to_owned());
    } else if skill.name != dir_name {
        note(
            DiagnosticCode::NameNotFolder,
            "the name differs from the folder's name; make them the same".to_owned(),
        );
    }
    let length = skill.description.chars().count();
    if length > MAX_DESCRIPTION_CHARS {
        let message =
            format!("the description has {length} characters; other programs reject more than 1,024");
        note(DiagnosticCode::DescriptionOutsideRule, message);
    }
    if skill.frontmatter.get("tools").is_some() {
        let message =
            "tools in the frontmatter are never offered to the model; use scripts or an installed program";
        note(DiagnosticCode::ToolsNotOffered, message.to_owned());
    }
    skill.diagnostics = notes;
}

fn is_valid_name(name: &str) -> bool {
    let is_letter = |character: char| {
        character == '-'
            || (character.is_alphanumeric() && character.to_lowercase().eq(std::iter::once(character)))
    };
    let has_dashes_inside = !name.starts_with('-') && !name.ends_with('-') && !name.contains("--");
    has_dashes_inside && name.chars().all(is_letter) && name.chars().count() <= MAX_NAME_CHARS
}
