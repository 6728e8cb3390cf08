//! Faults of the disk and of the clock from every step of a turn and of a registry change on: a clear message, an end, no
//! loop, and the next process goes on. docs/dev/fault-matrix.md has the rows; they are compared with what happens.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use serde_json::Value;
use tarsus_home::config;
use tarsus_home::files::crash::{self, Fault};
use tarsus_tests::apps::Apps;
use tarsus_tests::{TestHome, amount, open_audit, printed};

use crate::agent_crash::{self, GATEWAY, TurnOutput};
use crate::workspace::{file, table};

const PAGE: &str = "docs/dev/fault-matrix.md";
const DRIVER: &str = env!("CARGO_BIN_EXE_tarsus-test-driver");
/// Processes at a time: each waits for the disk most of the time.
const AT_ONCE: usize = 4;

/// The outcomes that were seen of each step and fault.
type Outcomes = BTreeMap<(String, Fault), BTreeSet<&'static str>>;

/// The steps that a process passes, in order.
fn steps(command: &mut Command, trace: &Path) -> Vec<String> {
    let output = command.env("TARSUS_CRASH_TRACE", trace).output().unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    fs::read_to_string(trace).unwrap().lines().map(str::to_owned).collect()
}

/// Every step with the passages at which a fault begins: the first one, and one in the middle.
fn passages(steps: &[String]) -> Vec<(String, [usize; 2])> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for step in steps {
        *counts.entry(step).or_default() += 1;
    }
    counts.into_iter().map(|(step, count)| (step.clone(), [1, count / 2 + 1])).collect()
}

/// Runs the cases, several at a time.
fn outcomes(
    cases: &BTreeSet<(String, usize, Fault)>,
    case: impl Fn(&str, Fault) -> &'static str + Sync,
) -> Outcomes {
    let run = |(step, passage, fault): &(String, usize, Fault)| {
        ((step.clone(), *fault), case(&format!("{step}#{passage}"), *fault))
    };
    let seen = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE)
            .map(|worker| {
                let own = cases.iter().skip(worker).step_by(AT_ONCE);
                scope.spawn(|| own.map(run).collect::<Vec<_>>())
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
    });
    let mut outcomes = Outcomes::new();
    for (key, outcome) in seen {
        outcomes.entry(key).or_default().insert(outcome);
    }
    outcomes
}

fn run_with_fault(command: &mut Command, point: &str, fault: Fault) -> Output {
    let output = command.env("TARSUS_CRASH_POINT", point).env("TARSUS_FAULT", fault.name()).output().unwrap();
    let context = format!("{} from {point} on", fault.name());
    // A loop of failing writes aborts itself.
    assert_eq!(output.status.signal(), None, "{context}: {}", printed(&output));
    output
}

/// Checks that a problem of the program says what it is and what to do.
fn assert_clear(fault: Fault, text: &str, context: &str) {
    let expected: &[&str] = match fault {
        Fault::DiskFull => &["disk-full: ", "free some space"],
        Fault::ReadOnly | Fault::NoPermission => &["permission: ", "run as the owner of the file"],
        Fault::ClockBack | Fault::ClockForward => &[],
    };
    assert!(expected.iter().any(|expected| text.contains(expected)), "{context}: {text}");
}

/// Compares the rows under a heading with the outcomes.
fn assert_rows(heading: &str, outcomes: &Outcomes) {
    let rows = table(&file(PAGE), heading);
    let faults: BTreeSet<Fault> = outcomes.keys().map(|(_, fault)| *fault).collect();
    let expected: BTreeMap<(String, Fault), BTreeSet<String>> = rows
        .iter()
        .flat_map(|row| {
            let cells = Fault::ALL.into_iter().zip(&row[1..]).filter(|(fault, _)| faults.contains(fault));
            cells.map(|(fault, cell)| {
                ((row[0].clone(), fault), cell.split(" or ").map(str::to_owned).collect())
            })
        })
        .collect();
    let unexpected: Vec<_> = outcomes
        .iter()
        .filter(|(key, seen)| {
            expected.get(key).is_none_or(|cell| !seen.iter().all(|seen| cell.contains(*seen)))
        })
        .collect();
    assert!(unexpected.is_empty(), "{PAGE}, {heading}:\n{}", as_table(outcomes));
    assert_eq!(expected.keys().collect::<Vec<_>>(), outcomes.keys().collect::<Vec<_>>());
}

/// The rows as the page has them.
fn as_table(outcomes: &Outcomes) -> String {
    let steps: BTreeSet<&String> = outcomes.keys().map(|(step, _)| step).collect();
    let cell = |step: &str, fault: Fault| {
        let seen = outcomes.get(&(step.to_owned(), fault)).into_iter().flatten();
        seen.copied().collect::<Vec<_>>().join(" or ")
    };
    let row = |step: &&String| {
        let cells = Fault::ALL.map(|fault| cell(step, fault));
        format!("| `{step}` | {} |\n", cells.join(" | "))
    };
    steps.iter().map(row).collect()
}

fn assert_chain_holds(home: &TestHome, context: &str) {
    assert!(home.home().audit_key_path().exists(), "{context}: there is an audit log");
    let verification = open_audit(home.home()).unwrap().verify().unwrap();
    assert_eq!((verification.first_bad, verification.torn), (None, 0), "{context}");
}

fn turn_command(apps: &Apps, run: &str) -> Command {
    let mut command = apps.home.command(GATEWAY);
    command.arg(apps.home.state_dir()).args([run, "please"]);
    command
}

fn turn_with_fault(point: &str, fault: Fault) -> &'static str {
    let context = format!("{} from {point} on", fault.name());
    let (apps, _server) = agent_crash::scene();
    let output = run_with_fault(&mut turn_command(&apps, "broken"), point, fault);
    let mut turn = TurnOutput::default();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    stdout.lines().for_each(|line| turn.read(line));
    let over = stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let over = over.filter_map(|line| line["over"].as_str().map(str::to_owned)).next_back();
    let outcome = match (output.status.success(), &turn.answer, over) {
        (true, Some(answer), None) => {
            assert_eq!(answer, "All done.", "{context}");
            "answered"
        }
        (true, None, Some(over)) => {
            assert!(over.starts_with("Failed"), "{context}: {over}");
            assert_clear(fault, &over, &context);
            "failed"
        }
        (false, None, None) if !turn.accepted => {
            assert_clear(fault, &String::from_utf8_lossy(&output.stderr), &context);
            "refused"
        }
        _ => panic!("{context}: {}", printed(&output)),
    };
    let next = agent_crash::turn(&apps.home, "next", &[], None);
    assert_eq!(next.answer.as_deref(), Some("All done."), "{context}");
    agent_crash::check(&apps.home, &[("broken".to_owned(), turn), ("next".to_owned(), next)], &context);
    assert_chain_holds(&apps.home, &context);
    outcome
}

/// Lets a fault begin at every step of a turn: of a step that is passed several times, at one of the passages; in a soak
/// at both.
fn assert_turn_ends(fault: Fault, chosen: usize) {
    let (apps, _server) = agent_crash::scene();
    let steps = steps(&mut turn_command(&apps, "whole"), &apps.home.path().join("trace"));
    let mut cases = BTreeSet::new();
    for (step, passages) in passages(&steps) {
        let passages = if amount(1) > 1 { &passages[..] } else { &passages[chosen..=chosen] };
        cases.extend(passages.iter().map(|passage| (step.clone(), *passage, fault)));
    }
    assert_rows("A turn", &outcomes(&cases, turn_with_fault));
}

#[test]
fn turn_ends_on_a_disk_that_fills_up_at_any_step() {
    assert_turn_ends(Fault::DiskFull, 0);
}

#[test]
fn turn_ends_on_a_disk_that_is_read_only_from_any_step_on() {
    assert_turn_ends(Fault::ReadOnly, 1);
}

#[test]
fn turn_ends_without_permission_from_any_step_on() {
    assert_turn_ends(Fault::NoPermission, 1);
}

#[test]
fn turn_goes_on_when_the_clock_is_set_back_at_any_step() {
    assert_turn_ends(Fault::ClockBack, 0);
}

#[test]
fn turn_goes_on_when_the_clock_is_set_forward_at_any_step() {
    assert_turn_ends(Fault::ClockForward, 1);
}

const REGISTRY: &str = "{\n  \"Last Z\": { \"launch_path\": \"/z\", \"mode\": \"full\" }\n}\n";

fn with_registry() -> TestHome {
    let home = TestHome::in_memory();
    let path = tarsus_apps::Registry::for_home(home.home()).path().to_path_buf();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, REGISTRY).unwrap();
    home
}

fn registry_command(home: &TestHome) -> Command {
    let mut command = home.command(DRIVER);
    command.arg("app-off").arg(home.state_dir()).arg("Last Z");
    command
}

fn registry(home: &TestHome) -> String {
    fs::read_to_string(tarsus_apps::Registry::for_home(home.home()).path()).unwrap()
}

fn change_with_fault(point: &str, fault: Fault, new: &str) -> &'static str {
    let context = format!("{} from {point} on", fault.name());
    let home = with_registry();
    let output = run_with_fault(&mut registry_command(&home), point, fault);
    let found = registry(&home);
    assert!(found == REGISTRY || found == new, "{context}: {found}");
    let outcome = if output.status.success() {
        assert_eq!(found, new, "{context}");
        "saved"
    } else {
        assert_clear(fault, &String::from_utf8_lossy(&output.stderr), &context);
        if found == new { "failed" } else { "refused" }
    };
    // A fault before the beginning of the log leaves none.
    if home.home().audit_key_path().exists() {
        assert_chain_holds(&home, &context);
    }
    let again = registry_command(&home).output().unwrap();
    assert!(again.status.success(), "{context}: {}", printed(&again));
    assert_eq!(registry(&home), new, "{context}");
    assert_chain_holds(&home, &context);
    outcome
}

#[test]
fn registry_change_reports_a_fault_at_any_step() {
    let home = with_registry();
    let steps = steps(&mut registry_command(&home), &home.path().join("trace"));
    let new = registry(&home);
    assert_ne!(new, REGISTRY);
    let mut cases = BTreeSet::new();
    for (step, passages) in passages(&steps) {
        for passage in passages {
            cases.extend(Fault::ALL.map(|fault| (step.clone(), passage, fault)));
        }
    }
    let outcomes = outcomes(&cases, |point, fault| change_with_fault(point, fault, &new));
    assert_rows("A change of the app registry", &outcomes);
}

#[test]
fn matrix_has_a_row_for_every_step() {
    let named: BTreeSet<String> = crash::POINTS
        .iter()
        .chain(config::CRASH_POINTS)
        .chain(tarsus_store::CRASH_POINTS)
        .chain(tarsus_agent::CRASH_POINTS)
        .chain(&["anchor.saved"])
        .map(|step| (*step).to_owned())
        .collect();
    let page = file(PAGE);
    let headings = ["A turn", "A change of the app registry", "Steps of other operations"];
    let rows: BTreeSet<String> =
        headings.iter().flat_map(|heading| table(&page, heading)).map(|row| row[0].clone()).collect();
    assert_eq!(rows, named);
}
