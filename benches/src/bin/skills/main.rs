//! Measures the discovery and report of skills: a new process with 100, 1,000 and 10,000 of them, with its
//! time, memory and system calls, and a refresh of a library.
//!
//! The new process does what `tarsus skills list --json` does: it reads all roots, scans community skills
//! (only the first one; the others use the cache), evaluates them, and writes the report to a discarded output.
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a measurement of real files, which stops at the first surprise"
)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tarsus_benches::skills::{file, generate, text};
use tarsus_home::config::{AgentId, ConfigFile};
use tarsus_home::{Home, HomeOptions, Settings};
use tarsus_host::Clock;
use tarsus_host::path::SearchPath;
use tarsus_protocol::tool::ToolId;
use tarsus_skills::eligibility::MachineState;
use tarsus_skills::gate::ScanScope;
use tarsus_skills::snapshot::EvaluationInputs;
use tarsus_skills::{Library, SkillSource, SkillsLoader};

const NUMBERS: [usize; 3] = [100, 1_000, 10_000];
/// How often each new process is started.
const RUNS: usize = 11;
/// The argument that makes this program report on the skills of one state folder and print its peak memory.
const LIST: &str = "--list";
/// A recently changed file is read again; the figures are for unchanged ones.
const TICK: Duration = Duration::from_millis(2_100);

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [LIST, state] => list(Path::new(state)),
        [] => measure(),
        _ => eprintln!("usage: skills"),
    }
}

fn inputs(state: &Path) -> EvaluationInputs {
    let choice = HomeOptions { state_flag: Some(state.to_path_buf()), ..HomeOptions::default() };
    let home = Home::locate(&choice).unwrap();
    let config = ConfigFile::for_home(&home).load(&|_| None).unwrap();
    let machine = MachineState {
        platform: "linux",
        programs: SearchPath::new(&std::env::var_os("PATH").unwrap_or_default(), None),
        variables: Box::new(|name| std::env::var(name).ok()),
    };
    let built_tools = ToolId::ALL.iter().copied().collect();
    EvaluationInputs { home, config, settings: Settings::default(), machine: Arc::new(machine), built_tools }
}

/// The work of `skills list --json`.
fn list(state: &Path) {
    let inputs = inputs(state);
    let agent = inputs.config.view.agents.default_agent().unwrap().clone();
    let loader = SkillsLoader::load(inputs, &agent, ScanScope::Required, Clock::system().wall_ms());
    let mut out = BufWriter::with_capacity(64 * 1024, std::io::stdout().lock());
    serde_json::to_writer(&mut out, loader.snapshot().report()).unwrap();
    out.flush().unwrap();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
    let managed =
        loader.snapshot().catalog.entries.iter().filter(|found| found.source == SkillSource::Managed).count();
    eprintln!("{managed} {}", peak.unwrap_or("0"));
}

fn measure() {
    println!("{:>7}  {:>10}  {:>10}  {:>14}  {:>8}", "skills", "first", "median", "calls a skill", "peak");
    let top = tempfile::tempdir().unwrap();
    for number in NUMBERS {
        let state = top.path().join(number.to_string());
        generate(&state.join("skills"), number);
        let (first, peak) = new_process(&state, number);
        let mut later: Vec<_> = (0..RUNS).map(|_| new_process(&state, number).0).collect();
        later.sort();
        let calls =
            calls(&state).map_or("?".to_owned(), |calls| format!("{:.2}", calls as f64 / number as f64));
        println!(
            "{number:>7}  {first:>10.2?}  {:>10.2?}  {calls:>14}  {:>5.1} MB",
            later[RUNS / 2],
            peak as f64 / 1e3
        );
    }
    again(&top.path().join("10000"));
}

/// Time and peak memory in kilobytes of a new process.
fn new_process(state: &Path, number: usize) -> (Duration, u64) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let start = Instant::now();
    let output = command.arg(LIST).arg(state).stdout(Stdio::null()).output().unwrap();
    let time = start.elapsed();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let (found, peak) = stderr.trim().split_once(' ').unwrap();
    assert_eq!(found, number.to_string());
    (time, peak.parse().unwrap())
}

/// One changed skill among many, and a full refresh.
fn again(state: &Path) {
    std::thread::sleep(TICK);
    let library = Library::open(inputs(state), None, Clock::system());
    let (mut one, mut all, mut judged) = (Vec::new(), Vec::new(), Vec::new());
    let file = state.join("skills").join(file(5_000));
    let paths = BTreeSet::from([file.clone()]);
    for run in 0..RUNS {
        fs::write(&file, text(5_000, run + 1)).unwrap();
        let start = Instant::now();
        let different = library.refresh_at(&paths);
        one.push(start.elapsed());
        assert_eq!(different[&AgentId::main()].changed, ["skill-05000"]);

        let start = Instant::now();
        assert!(library.refresh().is_empty());
        all.push(start.elapsed());

        let snapshot = library.snapshot(&AgentId::main()).unwrap();
        let start = Instant::now();
        assert!(!snapshot.report_json().is_empty());
        judged.push(start.elapsed());
    }
    for times in [&mut one, &mut all, &mut judged] {
        times.sort();
    }
    println!(
        "of 10,000: one changed skill {:.2?}; looking at all of them again {:.2?}; judging and reporting {:.2?}",
        one[RUNS / 2],
        all[RUNS / 2],
        judged[RUNS / 2]
    );
}

/// The system calls of a new process, counted by strace if installed: the last number of its total.
fn calls(state: &Path) -> Option<u64> {
    let this = std::env::current_exe().unwrap();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-c", "-U", "calls,name"]).arg(this).arg(LIST).arg(state);
    let output = strace.stdout(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines().find(|line| line.ends_with("total"))?.split_whitespace().next()?.parse().ok()
}
