//! Parses one SKILL.md into a [`Skill`](crate::Skill), with the same results and errors as OpenClaw's loader.
//!
//! Pure and linear in the size of the file, and no input panics. Problems that do not keep a file from loading are
//! diagnostics.

mod coerce;
mod frontmatter;
pub(crate) mod install;
mod lines;
mod lint;
mod metadata;
mod plain;
mod simple;
mod text;
mod title;
mod yaml;

pub(crate) use self::plain::plain_texts;

use sha2::{Digest, Sha256};
use tarsus_protocol::DiagnosticCode;

use self::text::{Split, line_of, trimmed};
use crate::{Diagnostic, Dispatch, Frontmatter, Invocation, ParseError, Parsed, Skill};

/// The only name under which OpenClaw finds a skill.
const FILE_NAME: &str = "SKILL.md";

/// Parses one SKILL.md. `file_name` and `dir_name` are names without a path.
///
/// ```
/// use tarsus_skills::{Parsed, parse};
///
/// let parsed = parse(b"---\nname: notes\ndescription: Keeps notes.\n---\n# Daily notes\n", "SKILL.md", "notes");
/// let Parsed::Loaded(skill) = parsed else { return };
/// assert_eq!((skill.name.as_str(), skill.display_name.as_str()), ("notes", "Daily notes"));
/// ```
#[must_use]
pub fn parse(bytes: &[u8], file_name: &str, dir_name: &str) -> Parsed {
    let text = text::decoded(bytes);
    let parsed = parse_text(&text, bytes, dir_name);
    if file_name == FILE_NAME { parsed } else { reject_file_name(parsed, file_name) }
}

/// A file with another name does not load.
fn reject_file_name(parsed: Parsed, file_name: &str) -> Parsed {
    let mut error = ParseError {
        code: DiagnosticCode::WrongFileName,
        message: format!("file name is {file_name} (discovery requires exactly {FILE_NAME})"),
        line: None,
        keys: Vec::new(),
        diagnostics: Vec::new(),
    };
    let note = |error: ParseError| Diagnostic { code: error.code, message: error.message, line: error.line };
    match parsed {
        Parsed::Loaded(skill) => Parsed::Degraded(skill, error),
        Parsed::Degraded(mut skill, inner) => {
            skill.diagnostics.push(note(inner));
            Parsed::Degraded(skill, error)
        }
        Parsed::Malformed(mut inner) => {
            error.keys = std::mem::take(&mut inner.keys);
            error.diagnostics = std::mem::take(&mut inner.diagnostics);
            error.diagnostics.push(note(inner));
            Parsed::Malformed(error)
        }
    }
}

fn parse_text(text: &str, bytes: &[u8], dir_name: &str) -> Parsed {
    let (block, offset, body) = match text::split(text) {
        Split::NoFrontmatter => {
            return malformed(
                DiagnosticCode::NoFrontmatter,
                "description is required",
                Frontmatter::default(),
            );
        }
        Split::Unterminated => {
            let message = "invalid frontmatter: UNTERMINATED_FRONTMATTER: missing closing --- delimiter";
            return malformed(DiagnosticCode::UnterminatedFrontmatter, message, Frontmatter::default());
        }
        Split::Parts { block, offset, body } => (block, offset, body),
    };
    // An empty block has no fields, while an empty YAML document is an error.
    let read = if block.is_empty() { frontmatter::ParsedBlock::default() } else { frontmatter::parse(block) };
    let lines_before = line_of(text, offset) - 1;
    let error = read.fault.map(|fault| ParseError {
        code: fault.code,
        message: format!("invalid frontmatter: {}: {}", fault.code, fault.message),
        line: Some(lines_before + read.line),
        keys: Vec::new(),
        diagnostics: Vec::new(),
    });
    let fields = read.fields;
    let own_name = fields.get("name").map(trimmed).filter(|name| !name.is_empty());
    let name = own_name.unwrap_or_else(|| trimmed(dir_name)).to_owned();
    let description = fields.get("description").map(trimmed).unwrap_or_default().to_owned();
    if name.is_empty() || description.is_empty() {
        let keys = keys(&fields);
        return Parsed::Malformed(error.map(|error| ParseError { keys, ..error }).unwrap_or_else(|| {
            let (code, what) = if name.is_empty() {
                (DiagnosticCode::NoName, "name")
            } else {
                (DiagnosticCode::NoDescription, "description")
            };
            missing(code, format!("{what} is required"), &fields)
        }));
    }
    let mut notes = Vec::new();
    let declared = metadata::parse(fields.get("metadata").unwrap_or_default(), read.metadata, &mut notes);
    let mut skill = Skill {
        name_from_dir: own_name.is_none(),
        display_name: title::heading(body).map_or_else(|| title::title_case(&name), str::to_owned),
        slash_base: title::slash_base(&name),
        name,
        description,
        invocation: invocation(&fields, &mut notes),
        frontmatter: fields,
        metadata: declared.metadata,
        vendor_metadata: declared.vendor,
        content_hash: Sha256::digest(bytes).into(),
        diagnostics: notes,
    };
    lint::add_diagnostics(&mut skill, dir_name, read.repaired.map(|line| lines_before + line));
    skill.diagnostics.shrink_to_fit();
    match error {
        None => Parsed::Loaded(skill),
        Some(error) => Parsed::Degraded(skill, error),
    }
}

fn keys(fields: &Frontmatter) -> Vec<String> {
    fields.0.iter().map(|(key, _)| key.clone()).collect()
}

fn missing(code: DiagnosticCode, message: impl Into<String>, fields: &Frontmatter) -> ParseError {
    ParseError { code, message: message.into(), line: None, keys: keys(fields), diagnostics: Vec::new() }
}

fn malformed(code: DiagnosticCode, message: &str, fields: Frontmatter) -> Parsed {
    Parsed::Malformed(missing(code, message, &fields))
}

fn invocation(fields: &Frontmatter, notes: &mut Vec<Diagnostic>) -> Invocation {
    let flag = |key: &str, otherwise: bool| {
        let value = fields.get(key).map(|value| trimmed(value).to_lowercase()).unwrap_or_default();
        match value.as_str() {
            "true" | "1" | "yes" | "on" => true,
            "false" | "0" | "no" | "off" => false,
            _ => otherwise,
        }
    };
    Invocation {
        user_invocable: flag("user-invocable", true),
        disable_model_invocation: flag("disable-model-invocation", false),
        dispatch: dispatch(fields, notes),
    }
}

fn dispatch(fields: &Frontmatter, notes: &mut Vec<Diagnostic>) -> Option<Dispatch> {
    let either = |dashed: &str, underscored: &str| -> &str {
        fields.get(dashed).or_else(|| fields.get(underscored)).map_or("", trimmed)
    };
    let kind = either("command-dispatch", "command_dispatch").to_lowercase();
    if kind.is_empty() {
        return None;
    }
    let mut note = |message: String| {
        notes.push(Diagnostic { code: DiagnosticCode::DispatchIgnored, message, line: None })
    };
    if kind != "tool" {
        note("command-dispatch is not `tool`, so it is ignored".to_owned());
        return None;
    }
    let tool = either("command-tool", "command_tool");
    if tool.is_empty() {
        note("command-dispatch is `tool`, but command-tool is missing, so it is ignored".to_owned());
        return None;
    }
    let mode = either("command-arg-mode", "command_arg_mode").to_lowercase();
    if !mode.is_empty() && mode != "raw" {
        note("command-arg-mode is not `raw`; arguments are passed as typed".to_owned());
    }
    Some(Dispatch { tool: tool.to_owned() })
}
