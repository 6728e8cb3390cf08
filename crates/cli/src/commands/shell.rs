//! `completion` and `man`: shell completions and manual pages, generated from the clap definition.

use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::args;
use crate::output::Output;

pub fn completion(shell: clap_complete::Shell, output: &mut Output) -> Result<ExitCode, Problem> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "tarsus", &mut script);
    output.bytes(&script)?;
    Ok(ExitCode::Done)
}

/// Prints the manual page of `tarsus` or of one command.
pub fn manual(command_path: &[String], output: &mut Output) -> Result<ExitCode, Problem> {
    let mut command = args::command().disable_help_subcommand(true);
    command.build();
    let mut name = "tarsus".to_owned();
    for word in command_path {
        let found = command.find_subcommand(word).cloned();
        command = found.ok_or_else(|| {
            Problem::new(ErrorCode::NotFound, format!("{name} has no command {word:?}"))
                .hint(format!("`{name} --help` lists its commands"))
        })?;
        name = format!("{name} {word}");
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command.name(name.replace(' ', "-")))
        .render(&mut page)
        .map_err(|error| Problem::new(ErrorCode::Failed, format!("cannot write the manual page: {error}")))?;
    output.bytes(&page)?;
    Ok(ExitCode::Done)
}
