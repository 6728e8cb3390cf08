//! The guarantees of a run, with real processes on Windows. The program is this test itself.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::support::{gone, process_in, time_passes};
use tarsus_host::process::{
    CapturedOutput, DetachedCommand, EndCause, Env, LaunchArgs, ProcessError, ProcessExit, ProcessSpec,
    launch,
};
use tarsus_host::processes;

/// Long enough never to be reached by a test that works.
const LONG: Duration = Duration::from_secs(60);
/// Says what the program does.
const PART: &str = "TEST_PART";

/// The program. Without a part to play it is an empty test.
#[test]
#[ignore = "the other tests run it as a program"]
fn program() {
    match std::env::var(PART).as_deref() {
        Ok("tree") => {
            std::fs::write("parent", format!("{}\n", std::process::id())).unwrap();
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(arguments()).env(PART, "leaf").status().unwrap();
        }
        Ok("leaf") => {
            std::fs::write("leaf", format!("{}\n", std::process::id())).unwrap();
            loop {
                std::thread::park();
            }
        }
        Ok("leaves a leaf") => {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(arguments()).env(PART, "leaf").spawn().unwrap();
            while !Path::new("leaf").exists() {
                std::thread::yield_now();
            }
            std::process::exit(5);
        }
        Ok("much output") => {
            std::io::stderr().write_all(&vec![b'x'; 10_000_000]).unwrap();
            std::process::exit(7);
        }
        Ok("echo") => {
            let mut input = Vec::new();
            std::io::stdin().read_to_end(&mut input).unwrap();
            let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
            let folder = std::env::current_dir().unwrap();
            let folder = folder.file_name().unwrap().to_str().unwrap();
            let report = format!("{names:?}|{folder}|{}", String::from_utf8(input).unwrap());
            std::io::stderr().write_all(report.as_bytes()).unwrap();
            std::process::exit(0);
        }
        _ => {}
    }
}

fn arguments() -> [&'static str; 4] {
    ["--exact", "process_windows::program", "--ignored", "--nocapture"]
}

fn playing(part: &str, folder: &Path) -> ProcessSpec {
    let mut env = Env::empty();
    env.set(PART, part);
    ProcessSpec {
        args: arguments().map(Into::into).to_vec(),
        env,
        timeout: LONG,
        ..ProcessSpec::new(std::env::current_exe().unwrap(), folder)
    }
}

async fn tree_in(folder: &Path) -> [processes::ProcessId; 2] {
    [process_in(&folder.join("parent")).await, process_in(&folder.join("leaf")).await]
}

#[tokio::test]
async fn a_stop_ends_the_whole_tree() {
    let folder = tempfile::tempdir().unwrap();
    let running = playing("tree", folder.path()).start().unwrap();
    let tree = tree_in(folder.path()).await;
    assert_eq!(tree[0].pid, running.pid());
    running.stop();
    let outcome = running.outcome().await.unwrap();
    assert_eq!((outcome.exit, outcome.ended_by), (ProcessExit::Code(1), EndCause::Stop));
    for process in tree {
        gone(process).await;
    }
}

#[tokio::test]
async fn a_time_out_ends_the_whole_tree() {
    let folder = tempfile::tempdir().unwrap();
    let running = playing("tree", folder.path()).start().unwrap();
    let tree = tree_in(folder.path()).await;
    time_passes(LONG).await;
    assert_eq!(running.outcome().await.unwrap().ended_by, EndCause::TimeOut);
    for process in tree {
        gone(process).await;
    }
}

#[tokio::test]
async fn a_dropped_run_ends_the_whole_tree() {
    let folder = tempfile::tempdir().unwrap();
    let running = playing("tree", folder.path()).start().unwrap();
    let tree = tree_in(folder.path()).await;
    drop(running);
    for process in tree {
        gone(process).await;
    }
}

#[tokio::test]
async fn leftover_holding_the_pipe_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let running = playing("leaves a leaf", folder.path()).start().unwrap();
    let leaf = process_in(&folder.path().join("leaf")).await;
    let outcome = running.outcome().await.unwrap();
    assert_eq!((outcome.exit, outcome.ended_by), (ProcessExit::Code(5), EndCause::Itself));
    gone(leaf).await;
}

#[tokio::test]
async fn output_beyond_the_cap_blocks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = ProcessSpec { output_cap: 64 * 1024, ..playing("much output", folder.path()) };
    let outcome = run.finish().await.unwrap();
    let bytes = vec![b'x'; 64 * 1024];
    let expected = CapturedOutput { cut: 10_000_000 - 64 * 1024, cut_at: 32 * 1024, bytes };
    assert_eq!((outcome.exit, outcome.stderr), (ProcessExit::Code(7), expected));
}

#[tokio::test]
async fn environment_folder_and_input_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().join("我的 文件夹");
    std::fs::create_dir(&cwd).unwrap();
    let run = ProcessSpec { stdin: Some("输入".into()), ..playing("echo", &cwd) };
    let outcome = run.finish().await.unwrap();
    let report = String::from_utf8(outcome.stderr.bytes).unwrap();
    let (names, rest) = report.split_once('|').unwrap();
    assert_eq!(rest, "我的 文件夹|输入");
    assert!(names.contains(PART), "{names}");
    assert!(!names.to_uppercase().contains("USERPROFILE"), "ours are not inherited: {names}");
}

#[tokio::test]
async fn a_program_in_a_chinese_folder_runs_and_is_listed_by_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let program: PathBuf = folder.path().join("程序 & 100%.exe");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let run = ProcessSpec { program: program.clone(), ..playing("leaf", folder.path()) };
    let running = run.start().unwrap();
    let leaf = process_in(&folder.path().join("leaf")).await;
    let listed = processes::list().unwrap();
    let process = listed.iter().find(|process| process.identity == leaf).unwrap();
    assert_eq!(process.name, "程序 & 100%.exe");
    let seen = process.exe.as_ref().unwrap().canonicalize().unwrap();
    assert_eq!(seen, program.canonicalize().unwrap());
    running.stop();
    running.outcome().await.unwrap();
}

#[tokio::test]
async fn start_errors_have_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.exe");
    let error = ProcessSpec::new(&missing, folder.path()).start().unwrap_err();
    assert!(matches!(error, ProcessError::NotFound { program } if program == missing));
    let program = std::env::current_exe().unwrap();
    let error = ProcessSpec::new(program, &missing).start().unwrap_err();
    assert!(matches!(error, ProcessError::NoFolder { cwd, .. } if cwd == missing));
    let error = ProcessSpec::new("cmd.exe", folder.path()).start().unwrap_err();
    assert!(matches!(error, ProcessError::NotAbsolute { .. }));
}

#[tokio::test]
async fn a_launched_program_runs_on_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let ProcessSpec { program, args, env, cwd, .. } = playing("leaf", folder.path());
    let args = LaunchArgs::Each(args);
    let pid =
        launch(&DetachedCommand { program, args, env, cwd, agent: None, drain: Vec::new() }).unwrap().pid();
    let launched = process_in(&folder.path().join("leaf")).await;
    assert_eq!(launched.pid, pid);
    processes::kill(launched).unwrap();
    gone(launched).await;
}

#[tokio::test]
async fn requests_to_end_can_be_listened_for() {
    let mut signals = tarsus_host::signals::Signals::listen().unwrap();
    let waited = tokio::time::timeout(Duration::from_millis(1), signals.next()).await;
    assert!(waited.is_err(), "nobody asked");
}
