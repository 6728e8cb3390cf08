//! The binary `tarsus` (also installed as `openclaw`): parses the command line, runs one command, prints its result
//! and maps failures to exit codes.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod context;
mod environment;
mod gateway;
mod input;
mod inside;
mod logging;
mod output;
mod problem;
mod stop_requests;
mod text;
mod timestamp;

use std::process::ExitCode as ProcessExit;

use clap::FromArgMatches;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::args::Arguments;
use crate::context::Context;
use crate::environment::Environment;
use crate::output::{Output, Style};

fn main() -> ProcessExit {
    let environment = Environment::from_process();
    let parsed = args::command()
        .try_get_matches_from(&environment.arguments)
        .and_then(|matches| Ok((Arguments::from_arg_matches(&matches)?, args::command_line(&matches))));
    let (arguments, name) = match parsed {
        Ok(arguments) => arguments,
        Err(error) => return ProcessExit::from(print_usage_error(&error, &environment) as u8),
    };
    let mut output = Output::new(Style {
        json: arguments.global.json,
        colour: !arguments.global.no_color && environment.wants_colour(),
    });
    let user_home = environment.user_home();
    if let Some(note) = arguments.global.agent.as_deref().and_then(text::spelling_note) {
        output.note(&note);
    }
    let outcome = Context::new(&arguments.global, environment)
        .and_then(|context| commands::run(arguments.command, &name, &context, &mut output))
        .and_then(|exit| output.finish().map(|()| exit));
    let exit = outcome.unwrap_or_else(|problem| {
        output.problem(&problem, user_home.as_deref());
        problem.code.exit()
    });
    ProcessExit::from(exit as u8)
}

/// Prints help, the version and usage errors in clap's format, or as JSON if `--json` was given.
fn print_usage_error(error: &clap::Error, environment: &Environment) -> ExitCode {
    let is_requested = !error.use_stderr();
    if !is_requested && environment.arguments.iter().any(|argument| argument == "--json") {
        let rendered = error.render().to_string();
        let message = rendered.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Output::new(Style { json: true, colour: false })
            .problem(&Problem::new(ErrorCode::Usage, message), None);
    } else if error.print().is_err() {
        // The reader closed the stream; there is nobody left to report to.
        return ExitCode::Failed;
    }
    if is_requested { ExitCode::Done } else { ExitCode::Usage }
}
