//! `cargo run -p tarsus-conformance -- ws://127.0.0.1:18789 TOKEN`: the suite against a gateway, as a table. With
//! `--changes` the gateway is changed as well.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use tarsus_conformance::changes;
use tarsus_conformance::suite::{Row, run, table};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let (flags, arguments): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let ([url, token], true) = (arguments.as_slice(), flags.iter().all(|flag| flag == "--changes")) else {
        eprintln!("usage: tarsus-conformance [--changes] ws://HOST:PORT TOKEN");
        return ExitCode::from(2);
    };
    let mut rows = run(url, token).await;
    if !flags.is_empty() {
        rows.extend(changes::run(url, token).await);
    }
    print!("{}", table(&rows));
    let failed = rows.iter().filter(|row| !row.holds()).count();
    println!("{} cases, {failed} failed", rows.len());
    if rows.iter().all(Row::holds) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
