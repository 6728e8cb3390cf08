//! Measures the program as a user starts it: time, memory, instructions, size; compared with targets and peers.
//!
//! Uses the binary of the `dist` profile. The user's state is not touched: every start has its
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
mod server;
mod version;

use std::process::ExitCode;

use tarsus_benches::options::Options;
use tarsus_benches::report::{Report, Row};

const USAGE: &str = "\
usage: startup [--json] [--runs N] [PROGRAM]

  PROGRAM    the binary to measure (the one of `cargo build --profile dist`)
  --runs N   how often --version is run (200); `up` and `apps list` a tenth as often
  --json     print the figures as JSON";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let Some((process::PEAK_OF, command)) =
        arguments.split_first().map(|(first, rest)| (first.as_str(), rest))
    {
        println!("{}", process::peak_of(command));
        return ExitCode::SUCCESS;
    }
    let Options { json, times, program } = match Options::read(arguments, "--runs", 200, USAGE) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };

    let mut rows = vec![Row::size(std::fs::metadata(&program).unwrap().len())];
    rows.extend(version::measure(&program, times));
    rows.extend(apps::measure(&program, times.div_ceil(10)));
    rows.extend(server::measure(&program, times.div_ceil(10)));
    let report = Report { rows };
    if json {
        println!("{:#}", report.to_json())
    } else {
        print!("{}", report.to_text())
    }
    ExitCode::SUCCESS
}
