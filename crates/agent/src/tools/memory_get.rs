//! `memory_get`: reads lines of the agent's own notes.

use std::path::{Component, Path};
use std::sync::Arc;

use tarsus_guard as guard;
use tarsus_protocol::Problem;

use super::check::{Arguments, Field, Kind};
use super::excerpt::MAX_LINES;
use super::outcome::ToolOutcome;
use super::protected::MEMORY;
use super::read::{LineRange, read_content};
use super::read_error::ReadError;
use super::{MAX_PATH_CHARS, PermittedCall, Tool, ToolFuture, blocking};
use crate::turn_context::TurnContext;

/// The folder of daily notes.
const FOLDER: &str = "memory";

const FIELDS: &[Field] = &[
    Field::required("path", Kind::Text(MAX_PATH_CHARS), "MEMORY.md or a file memory/*.md"),
    Field::optional("from", Kind::Count, "First line to read, from 1"),
    Field::optional("lines", Kind::Count, "Maximum number of lines"),
];

pub(super) struct MemoryGet;

impl Tool for MemoryGet {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::MemoryGet
    }

    fn line(&self) -> &'static str {
        "Read lines of MEMORY.md or memory/*.md"
    }

    fn description(&self) -> &'static str {
        "Reads lines of your own notes: MEMORY.md or a file memory/*.md. Request only the lines that you need."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        true
    }

    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        blocking(move || get(&call.arguments, &context))
    }
}

fn get(arguments: &Arguments, context: &TurnContext) -> Result<ToolOutcome, Problem> {
    let path = arguments.text("path").unwrap_or_default();
    let not_a_note = || ReadError::NotANote { path: path.to_owned() };
    if !is_note(Path::new(path)) {
        return Err(not_a_note().into());
    }
    let opened = context.roots.open(path, context)?;
    // A link may lead to another file of the workspace.
    let workspace = context.roots.workspace().canonicalize().map_err(|_| not_a_note())?;
    if !opened.path.strip_prefix(workspace).is_ok_and(is_note) {
        return Err(not_a_note().into());
    }
    let (first, max) = (arguments.count("from").unwrap_or(1), arguments.count("lines").unwrap_or(MAX_LINES));
    Ok(read_content(opened, path, &LineRange { first, max, parameter: "from" })?)
}

/// Whether a path below the workspace is a note: `MEMORY.md`, or Markdown in the folder of daily notes.
fn is_note(path: &Path) -> bool {
    let names: Option<Vec<&str>> = path
        .components()
        .filter(|component| *component != Component::CurDir)
        .map(|component| match component {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    match names.as_deref() {
        Some([MEMORY]) => true,
        Some([FOLDER, rest @ .., name]) => {
            let is_hidden = rest.iter().chain([name]).any(|name| name.starts_with('.'));
            Path::new(name).extension().is_some_and(|kind| kind == "md") && !is_hidden
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_memory_md_and_files_in_memory() {
        let table = [
            ("MEMORY.md", true),
            ("./MEMORY.md", true),
            ("memory/2026-11-16.md", true),
            ("memory/people/ada.md", true),
            ("memory.md", false),
            ("AGENTS.md", false),
            ("memory", false),
            ("memory/x.txt", false),
            ("memory/.hidden.md", false),
            ("memory/.git/x.md", false),
            ("memory/../AGENTS.md", false),
            ("notes/memory/x.md", false),
            ("../MEMORY.md", false),
            ("", false),
        ];
        for (path, is) in table {
            assert_eq!(is_note(Path::new(path)), is, "{path}");
        }
        assert!(!is_note(Path::new(if cfg!(windows) { r"C:\MEMORY.md" } else { "/MEMORY.md" })));
    }
}
