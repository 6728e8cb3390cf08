//! `write`: creates a file or replaces its whole content.

use std::sync::Arc;

use tarsus_guard::{self as guard, CallFacts};
use tarsus_protocol::Problem;

use super::change::{change_files, count_lines, outcome, read_prior};
use super::change_error::ChangeError;
use super::check::{Arguments, Field, Kind};
use super::outcome::ToolOutcome;
use super::{MAX_CONTENT_CHARS, MAX_PATH_CHARS, PermittedCall, Tool, ToolFuture, blocking};
use crate::turn_context::TurnContext;

const FIELDS: &[Field] = &[
    Field::required("path", Kind::Text(MAX_PATH_CHARS), "Path of the file, relative or absolute")
        .with_alias("file_path"),
    Field::required("content", Kind::Text(MAX_CONTENT_CHARS), "The whole content of the file"),
];

pub(super) struct Write;

impl Tool for Write {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::Write
    }

    fn line(&self) -> &'static str {
        "Create or replace a file"
    }

    fn description(&self) -> &'static str {
        "Writes a text file: creates it, with its folders, or replaces its whole content. Relative paths start in the \
         workspace. To change a part of a file use edit."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        false
    }

    fn facts(&self, arguments: &Arguments, context: &TurnContext) -> CallFacts {
        context.roots.write_facts(arguments.text("path"), context)
    }

    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        blocking(move || write(&call, &context).map_err(Problem::from))
    }
}

fn write(call: &PermittedCall, context: &TurnContext) -> Result<ToolOutcome, ChangeError> {
    let path = call.arguments.text("path").unwrap_or_default();
    let content = call.arguments.text("content").unwrap_or_default();
    let _others_wait = context.file_changes.lock();
    let mut location = context.roots.locate_judged(path, context, &call.facts)?;
    let prior = location.existing.take().map(|existing| read_prior(existing, &location)).transpose()?;
    let verb = if prior.is_some() { "Replaced" } else { "Created" };
    let planned = [location.plan(prior, Some(content.as_bytes().to_vec()))];
    change_files(&planned, call, context)?;
    let text = format!("{verb} {path} ({}).", count_lines(content));
    Ok(outcome(text, &planned, context))
}
