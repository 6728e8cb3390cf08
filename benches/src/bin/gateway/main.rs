//! Measures a gateway from outside: time to ready, idle memory, and response times;
//! compared with the targets, and with peers if installed.
//!
//! Uses the binary of the `dist` profile. Every start has its own home.
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement of real programs, which stops at the first surprise"
)]

mod program;
mod strangers;
mod wire;

use std::process::ExitCode;

use program::{Kind, Program, Started};
use tarsus_benches::options::Options;
use tarsus_benches::report::{Report, Row};
use tarsus_benches::skills::generate;
use tempfile::TempDir;

const USAGE: &str = "\
usage: gateway [--json] [--rounds N] [PROGRAM]

  PROGRAM     the binary to measure (the one of `cargo build --profile dist -p tarsus`)
  --rounds N  how often everything is measured (11)
  --json      print the figures as JSON, with every round";

/// As many skills as OpenClaw bundles, and many.
const FEW: usize = 57;
const MANY: usize = 1_000;
/// Clients without credentials at once.
const STRANGERS: usize = 1_000;

fn main() -> ExitCode {
    let arguments = std::env::args().skip(1).collect();
    let Options { json, times, program } = match Options::read(arguments, "--rounds", 11, USAGE) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let mut report = Report { rows: measure(&Program { kind: Kind::Tarsus, path: program }, times) };
    for kind in [Kind::ZeroClaw, Kind::OpenClaw] {
        match Program::installed(kind) {
            Some(peer) => report.rows.extend(measure(&peer, times.min(3))),
            None => eprintln!("{} is not installed: it was not measured", kind.name()),
        }
    }
    if json {
        println!("{:#}", report.to_json())
    } else {
        print!("{}", report.to_text())
    }
    ExitCode::SUCCESS
}

/// An empty home.
fn home() -> TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

fn measure(program: &Program, rounds: usize) -> Vec<Row> {
    let name = program.kind.name();
    let is_ours = program.kind == Kind::Tarsus;
    let target = |row: Row, target| if is_ours { row.target(target) } else { row };
    let (mut ready, mut idle) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let home = home();
        match program.start(home.path()) {
            Ok(started) => {
                ready.push(started.ready);
                idle.extend(started.idle_memory());
            }
            Err(why) => {
                eprintln!("{name} was not measured: {why}");
                return Vec::new();
            }
        }
    }
    let mut rows = vec![
        target(Row::times(format!("{name}: ready, fresh home"), &ready), 25.0)
            .peers("ZeroClaw 21 to 31 ms, OpenClaw 9 s"),
        target(Row::memory(format!("{name}: idle memory"), idle), 15.0)
            .peers("ZeroClaw 32 MB, OpenClaw 718 MB"),
    ];
    if program.kind == Kind::ZeroClaw {
        // It speaks another protocol.
        return rows;
    }
    let home = home();
    let own = wire::skills(&program.start(home.path()).unwrap_or_else(|why| panic!("{name}: {why}")));
    for (number, limit, peers) in [(FEW, 0.5, "OpenClaw 14 ms"), (MANY, 5.0, "OpenClaw 244 to 446 ms")] {
        generate(&program.skills(home.path()), number.saturating_sub(own));
        let mut ready = Vec::new();
        for _ in 0..rounds {
            ready.push(program.start(home.path()).unwrap_or_else(|why| panic!("{name}: {why}")).ready);
        }
        let started = program.start(home.path()).unwrap_or_else(|why| panic!("{name}: {why}"));
        let found = wire::skills(&started);
        rows.push(Row::times(format!("{name}: ready, {found} skills, known home"), &ready));
        let status = Row::times(
            format!("{name}: skills.status, {found} skills"),
            &wire::skills_status(&started, rounds),
        );
        rows.push(target(status, limit).peers(peers));
        if number == FEW {
            rows.extend(answers(name, is_ours, &started, rounds));
        }
        rows.push(Row::memory(
            format!("{name}: memory with {found} skills, after that"),
            Vec::from_iter(started.memory()),
        ));
    }
    if is_ours {
        rows.extend(among_strangers(name, program));
    }
    rows
}

fn among_strangers(name: &str, program: &Program) -> Vec<Row> {
    let home = home();
    let started = program.start(home.path()).unwrap_or_else(|why| panic!("{name}: {why}"));
    let seen = strangers::measure(&started, STRANGERS);
    let among = |what: &str| format!("{name}: {what}, among {STRANGERS} strangers");
    vec![
        Row::times(among("health"), &seen.open).target(100.0),
        Row::times(among("connect and health"), &seen.new).target(100.0),
        Row::memory(among("more memory"), vec![seen.memory]).target(30.0),
        Row::times(among("until the last one was closed"), &[seen.given_back]).target(10_000.0),
        Row::memory(among("more memory, once they were closed"), vec![seen.kept]).target(30.0),
    ]
}

fn answers(name: &str, is_ours: bool, started: &Started, rounds: usize) -> Vec<Row> {
    let health =
        Row::times(format!("{name}: health"), &wire::health(started, rounds)).peers("OpenClaw 2.2 ms");
    let mut rows = vec![
        if is_ours { health.target(0.2) } else { health },
        Row::rates(format!("{name}: connects of known devices"), wire::connects(started, rounds)),
    ];
    if is_ours {
        for apps in [10, MANY] {
            started.register(apps);
            rows.push(Row::times(
                format!("{name}: apps.list, {apps} apps"),
                &wire::apps_list(started, rounds),
            ));
        }
    }
    rows
}
