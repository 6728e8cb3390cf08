//! The binary `tarsus` (and `openclaw`, when it is called that): reads the command line, hands the request to a
//! room below, prints the answer and ends with a code that means something.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod context;
mod environment;
mod gateway;
mod input;
mod logging;
mod moment;
mod output;
mod problem;
mod text;

use std::process::ExitCode as ProcessExit;

use clap::FromArgMatches;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::args::Arguments;
use crate::context::Context;
use crate::environment::Environment;
use crate::output::{Output, Style};

fn main() -> ProcessExit {
    let environment = Environment::of_this_process();
    let parsed = args::command()
        .try_get_matches_from(&environment.arguments)
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => return ProcessExit::from(refuse_usage(&error, &environment) as u8),
    };
    let mut output = Output::new(Style {
        json: arguments.global.json,
        colour: !arguments.global.no_color && environment.colour_wanted(),
    });
    let user_home = environment.user_home();
    let outcome = Context::new(&arguments.global, environment)
        .and_then(|context| commands::run(arguments.command, &context, &mut output))
        .and_then(|exit| output.finish().map(|()| exit));
    let exit = outcome.unwrap_or_else(|problem| {
        output.problem(&problem, user_home.as_deref());
        problem.code.exit()
    });
    ProcessExit::from(exit as u8)
}

/// Help, the version and mistakes on the command line: clap's own words, and JSON where it was asked for.
fn refuse_usage(error: &clap::Error, environment: &Environment) -> ExitCode {
    let asked_for = !error.use_stderr();
    if !asked_for && environment.arguments.iter().any(|argument| argument == "--json") {
        let words = error.render().to_string();
        let message = words.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Output::new(Style { json: true, colour: false })
            .problem(&Problem::new(ErrorCode::Usage, message), None);
    } else if error.print().is_err() {
        // The reader has gone: there is nobody left to tell.
        return ExitCode::Failed;
    }
    if asked_for { ExitCode::Done } else { ExitCode::Usage }
}
