//! Measures the program as a user starts it: time, memory, instructions, size; beside the targets and peers.
//!
//! The binary is the one of the `dist` profile. Nothing of the user's state is touched: every start has its
//! own folder.
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement of real programs, which stops at the first surprise"
)]

mod apps;
mod process;
mod report;
mod server;
mod version;

use std::path::PathBuf;
use std::process::ExitCode;

use report::{Report, Row};

const USAGE: &str = "\
usage: startup [--json] [--runs N] [PROGRAM]

  PROGRAM    the binary to measure (the one of `cargo build --profile dist`)
  --runs N   how often --version is run (200); `up` and `apps list` a tenth as often
  --json     print the figures as JSON";

struct Options {
    json: bool,
    runs: usize,
    program: PathBuf,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let Some((process::PEAK_OF, command)) =
        arguments.split_first().map(|(first, rest)| (first.as_str(), rest))
    {
        println!("{}", process::peak_of(command));
        return ExitCode::SUCCESS;
    }
    let Some(options) = options(arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let Ok(program) = options.program.canonicalize() else {
        eprintln!("error: {} is not there: run `cargo build --profile dist`", options.program.display());
        return ExitCode::FAILURE;
    };

    let mut rows = vec![Row::size(std::fs::metadata(&program).unwrap().len())];
    rows.extend(version::measure(&program, options.runs));
    rows.extend(apps::measure(&program, options.runs.div_ceil(10)));
    rows.extend(server::measure(&program, options.runs.div_ceil(10)));
    let report = Report { rows };
    if options.json {
        println!("{:#}", report.to_json())
    } else {
        print!("{}", report.to_text())
    }
    ExitCode::SUCCESS
}

fn options(arguments: Vec<String>) -> Option<Options> {
    let mut options = Options { json: false, runs: 200, program: beside_this_one() };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => options.json = true,
            "--runs" => options.runs = arguments.next()?.parse().ok().filter(|runs| *runs > 0)?,
            flag if flag.starts_with('-') => return None,
            path => options.program = PathBuf::from(path),
        }
    }
    Some(options)
}

/// `target/dist/tarsus`, seen from `target/release/startup`.
fn beside_this_one() -> PathBuf {
    let this = std::env::current_exe().expect("this program has a path");
    let target = this.ancestors().nth(2).expect("this program is in a target folder");
    target.join("dist").join(format!("tarsus{}", std::env::consts::EXE_SUFFIX))
}
