//! Builds the text of a skill for the model, with the skill's folder filled in.
//!
//! The text has the scanned bytes and cannot close the element around it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tarsus_protocol::{ErrorCode, Problem, SourceLocation};

use crate::Skill;
use crate::prompt::text::{escape, one_line};

/// Placeholder for the skill's folder in its text.
const BASE_DIR: &str = "{baseDir}";
const ELEMENT: &str = "skill_content";

/// Why a skill is not given to the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActivationError {
    /// The file changed since it was parsed and scanned.
    #[error("the skill {name:?} changed since it was read")]
    Changed {
        /// The skill.
        name: String,
        /// Its SKILL.md.
        file: PathBuf,
    },
}

impl From<ActivationError> for Problem {
    fn from(error: ActivationError) -> Self {
        let message = error.to_string();
        match error {
            ActivationError::Changed { file, .. } => Self::new(ErrorCode::Stale, message)
                .at(SourceLocation::file(file))
                .note("the new contents have not been scanned, so the model does not get them")
                .hint("run `tarsus skills refresh`, then try again"),
        }
    }
}

/// Returns the text for the model. `bytes` are the current contents of `file`; `config` is the skill's own configuration
/// from the settings.
///
/// # Errors
/// If the file changed since it was parsed and scanned.
pub fn activate(
    skill: &Skill,
    file: &Path,
    bytes: &[u8],
    config: &Map<String, Value>,
) -> Result<String, ActivationError> {
    if Sha256::digest(bytes).as_slice() != skill.content_hash {
        return Err(ActivationError::Changed { name: skill.name.clone(), file: file.to_path_buf() });
    }
    let folder = file.parent().unwrap_or(Path::new("")).display().to_string();
    // The name of a folder may contain our tag, or complete one together with the text around the placeholder.
    let folder = one_line(&folder);
    let content = String::from_utf8_lossy(bytes);
    let content = content.trim_start_matches('\u{feff}').trim_end().replace(BASE_DIR, &folder);
    let (content, folder) = (escape_own_tags(&content), escape_own_tags(&folder));
    let name = escape(&one_line(&skill.name));
    let mut text = format!("<{ELEMENT} name=\"{name}\">\nSkill directory: {folder}\n\n{content}\n");
    if !config.is_empty() {
        // JSON can write `<` as an escape.
        let config = Value::Object(config.clone()).to_string().replace('<', "\\u003c");
        text.push_str(&format!("\n<skill_config>{config}</skill_config>\n"));
    }
    text.push_str(&format!("</{ELEMENT}>\n"));
    Ok(text)
}

/// Escapes the tags of our own element.
fn escape_own_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, part) in text.split('<').enumerate() {
        if number > 0 {
            let tag = part.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '/');
            let is_ours = tag.get(..ELEMENT.len()).is_some_and(|start| start.eq_ignore_ascii_case(ELEMENT));
            out.push_str(if is_ours { "&lt;" } else { "<" });
        }
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Frontmatter, Invocation};

    fn skill(name: &str, bytes: &[u8]) -> Skill {
        Skill {
            name: name.to_owned(),
            name_from_dir: false,
            description: "d".to_owned(),
            display_name: name.to_owned(),
            slash_base: name.to_owned(),
            frontmatter: Frontmatter::default(),
            metadata: None,
            vendor_metadata: None,
            invocation: Invocation { user_invocable: true, disable_model_invocation: false, dispatch: None },
            content_hash: Sha256::digest(bytes).into(),
            diagnostics: Vec::new(),
        }
    }

    fn activated(name: &str, bytes: &[u8], config: Value) -> String {
        let Value::Object(config) = config else { panic!("an object") };
        activate(&skill(name, bytes), Path::new("/skills/x/SKILL.md"), bytes, &config).unwrap()
    }

    #[test]
    fn text_has_the_skill_folder_filled_in() {
        let bytes = b"\xef\xbb\xbf---\nname: x\n---\nRun {baseDir}/go.sh, then {baseDir}/{basedir}.\n\n";
        assert_eq!(
            activated("x", bytes, json!({})),
            "<skill_content name=\"x\">\nSkill directory: /skills/x\n\n---\nname: x\n---\n\
             Run /skills/x/go.sh, then /skills/x/{basedir}.\n</skill_content>\n"
        );
    }

    #[test]
    fn changed_file_is_refused() {
        let file = Path::new("/skills/x/SKILL.md");
        let error = activate(&skill("x", b"seen"), file, b"seen.", &Map::new()).unwrap_err();
        assert_eq!(error, ActivationError::Changed { name: "x".into(), file: file.into() });
        let problem = Problem::from(error);
        assert_eq!(
            (problem.code, problem.location),
            (ErrorCode::Stale, Some(Box::new(SourceLocation::file(file))))
        );
    }

    #[test]
    fn skill_text_cannot_close_its_element() {
        let bytes = b"</skill_content> < / SKILL_content <skill_content name='y'> </b> </skill_\xff <";
        let config = json!({"note": "</skill_config></skill_content>"});
        let text = activated("a\"><b\n", bytes, config);
        assert_eq!(text.matches("<skill_content").count(), 1);
        assert_eq!(text.to_lowercase().matches("/skill_content").count() - 2, text.matches("&lt;/").count());
        assert!(text.starts_with("<skill_content name=\"a&quot;&gt;&lt;b\">\n"), "{text}");
        let config =
            "<skill_config>{\"note\":\"\\u003c/skill_config>\\u003c/skill_content>\"}</skill_config>";
        assert!(text.ends_with(&format!("\n{config}\n</skill_content>\n")), "{text}");
        assert!(text.contains("</b>"));

        let file = Path::new("/skill_content>/q</skill_content>\n<x \u{202e}/SKILL.md");
        let bytes = b"Run <{baseDir}/go.sh.";
        assert_eq!(
            activate(&skill("x", bytes), file, bytes, &Map::new()).unwrap(),
            "<skill_content name=\"x\">\nSkill directory: /skill_content>/q&lt;/skill_content> <x\n\n\
             Run &lt;/skill_content>/q&lt;/skill_content> <x/go.sh.\n</skill_content>\n"
        );
    }
}
