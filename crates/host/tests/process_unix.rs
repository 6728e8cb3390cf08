//! The laws of a run, with real processes on Unix.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests write the scripts they run")]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use support::{eventually, gone, process_in, time_passes};
use tarsus_host::process::{
    Args, Captured, Chunk, EndedBy, Env, Exit, Launch, ProcessError, Run, Stream, launch,
};
use tarsus_host::processes::{self, Identity};

/// Long enough never to be reached by a test that works.
const LONG: Duration = Duration::from_secs(60);

fn sh(folder: &Path, script: &str) -> Run {
    let mut env = Env::empty();
    env.set("PATH", "/usr/local/bin:/usr/bin:/bin");
    Run { args: vec!["-c".into(), script.into()], env, timeout: LONG, ..Run::new("/bin/sh", folder) }
}

fn whole(text: &str) -> Captured {
    Captured { bytes: text.into(), cut: 0, cut_at: text.len() }
}

#[tokio::test]
async fn a_run_returns_what_was_written_and_how_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    for (script, exit, stdout, stderr) in [
        ("echo out; echo err >&2", Exit::Code(0), "out\n", "err\n"),
        ("exit 7", Exit::Code(7), "", ""),
        ("kill -KILL $$", Exit::Signal(9), "", ""),
    ] {
        let outcome = sh(folder.path(), script).finish().await.unwrap();
        let seen = (outcome.exit, outcome.ended_by, outcome.stdout, outcome.stderr);
        assert_eq!(seen, (exit, EndedBy::Itself, whole(stdout), whole(stderr)), "{script}");
    }
}

#[tokio::test]
async fn the_environment_the_folder_and_the_input_are_exactly_what_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap();
    let mut env = Env::empty();
    env.set("A", "1").set("名", "值 \n2");
    let outcome = Run { env, timeout: LONG, ..Run::new("/usr/bin/env", &cwd) }.finish().await.unwrap();
    assert_eq!(outcome.stdout, whole("A=1\n名=值 \n2\n"));

    let outcome = sh(&cwd, "/bin/pwd; cat").finish().await.unwrap();
    assert_eq!(outcome.stdout, whole(&format!("{}\n", cwd.display())), "no input is an empty one");

    let input = Some(b"a\0b".to_vec());
    let outcome = Run { stdin: input, ..sh(&cwd, "cat") }.finish().await.unwrap();
    assert_eq!(outcome.stdout, whole("a\0b"));
}

#[tokio::test]
async fn input_that_nobody_reads_and_output_beyond_the_cap_block_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let script = "head -c 10000000 /dev/zero | tr '\\0' x; head -c 10000000 /dev/zero >&2; echo end";
    let run = Run { stdin: Some(vec![b'i'; 4_000_000]), output_cap: 64 * 1024, ..sh(folder.path(), script) };
    let outcome = run.finish().await.unwrap();

    let mut kept = vec![b'x'; 64 * 1024];
    kept.splice(64 * 1024 - 4.., *b"end\n");
    let cut = |total: u64, bytes: Vec<u8>| Captured {
        cut: total - bytes.len() as u64,
        cut_at: bytes.len() / 2,
        bytes,
    };
    assert_eq!(outcome.exit, Exit::Code(0));
    assert_eq!(outcome.stdout, cut(10_000_004, kept));
    assert_eq!(outcome.stderr, cut(10_000_000, vec![0; 64 * 1024]));
}

#[tokio::test]
async fn a_program_with_spaces_and_chinese_in_its_path_runs() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("我的 程序 (1) & $HOME.sh");
    fs::write(&program, "#!/bin/sh\nprintf '%s|' \"$@\"\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let args = ["a b", "", "$HOME", "'\"", "名"].map(Into::into).to_vec();
    let run = Run { args, timeout: LONG, ..Run::new(program, folder.path()) };
    assert_eq!(run.finish().await.unwrap().stdout, whole("a b||$HOME|'\"|名|"));
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("plain"), "text").unwrap();

    let error = |run: Run| run.start().unwrap_err();
    let missing = error(Run::new(at("missing"), folder.path()));
    assert!(matches!(missing, ProcessError::NotFound { program } if program == at("missing")));
    let nowhere = error(Run::new("/bin/sh", at("missing")));
    assert!(matches!(nowhere, ProcessError::NoFolder { cwd, .. } if cwd == at("missing")));
    let plain = error(Run::new(at("plain"), folder.path()));
    assert!(matches!(plain, ProcessError::Start { program, .. } if program == at("plain")));
    let relative = error(Run::new("sh", folder.path()));
    assert!(matches!(relative, ProcessError::NotAbsolute { program } if program == Path::new("sh")));

    for name in ["", "A=B", "A\0"] {
        let mut run = Run::new("/bin/sh", folder.path());
        run.env.set(name, "1");
        assert!(matches!(error(run), ProcessError::EnvName { .. }), "{name:?}");
    }
}

/// A program with a child and a grandchild that all ignore a polite request and say who they are.
const DEAF_TREE: &str = r#"
    trap '' TERM HUP INT
    sh -c 'sh -c "echo \$\$ > grandchild; while :; do sleep 1; done" &
           echo $$ > child
           while :; do sleep 1; done' &
    echo $$ > leader
    while :; do sleep 1; done
"#;

fn deaf_tree(folder: &Path) -> Run {
    Run { grace: Duration::from_millis(20), ..sh(folder, DEAF_TREE) }
}

async fn tree_in(folder: &Path) -> [Identity; 3] {
    let process = async |name: &str| process_in(&folder.join(name)).await;
    [process("leader").await, process("child").await, process("grandchild").await]
}

#[tokio::test]
async fn a_time_out_ends_the_whole_tree_even_if_it_ignores_the_request() {
    let folder = tempfile::tempdir().unwrap();
    let running = deaf_tree(folder.path()).start().unwrap();
    let tree = tree_in(folder.path()).await;
    time_passes(LONG).await;
    let outcome = running.outcome().await.unwrap();
    assert_eq!((outcome.exit, outcome.ended_by), (Exit::Signal(9), EndedBy::TimeOut));
    assert!(!tree.iter().any(|process| processes::still(*process)), "none is left at the outcome");
}

#[tokio::test]
async fn a_stop_from_elsewhere_ends_the_whole_tree_and_keeps_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = deaf_tree(folder.path());
    run.args[1] = format!("echo begun; {DEAF_TREE}").into();
    let running = run.start().unwrap();
    let stopper = running.stopper();
    let tree = tree_in(folder.path()).await;
    assert_eq!(tree[0].pid, running.pid());
    stopper.stop();
    stopper.stop();
    let outcome = running.outcome().await.unwrap();
    let seen = (outcome.exit, outcome.ended_by, outcome.stdout);
    assert_eq!(seen, (Exit::Signal(9), EndedBy::Stop, whole("begun\n")));
    assert!(!tree.iter().any(|process| processes::still(*process)));
}

#[tokio::test]
async fn a_program_that_follows_the_request_ends_in_its_own_way() {
    let folder = tempfile::tempdir().unwrap();
    let script = "trap 'echo bye; exit 3' TERM; echo $$ > leader; while :; do sleep 0.01; done";
    let running = Run { grace: LONG, ..sh(folder.path(), script) }.start().unwrap();
    process_in(&folder.path().join("leader")).await;
    running.stop();
    let outcome = running.outcome().await.unwrap();
    let seen = (outcome.exit, outcome.ended_by, outcome.stdout);
    assert_eq!(seen, (Exit::Code(3), EndedBy::Stop, whole("bye\n")));
}

#[tokio::test]
async fn a_dropped_future_ends_the_whole_tree() {
    let folder = tempfile::tempdir().unwrap();
    let mut finish = Box::pin(deaf_tree(folder.path()).finish());
    let tree = tokio::select! {
        tree = tree_in(folder.path()) => tree,
        outcome = &mut finish => panic!("ended by itself: {outcome:?}"),
    };
    drop(finish);
    for process in tree {
        gone(process).await;
    }
}

#[test]
fn a_runtime_that_ends_takes_its_runs_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (running, tree) = runtime.block_on(async {
        let running = deaf_tree(folder.path()).start().unwrap();
        (running, tree_in(folder.path()).await)
    });
    drop(runtime);
    drop(running);
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for process in tree {
        waiting.block_on(gone(process));
    }
}

#[tokio::test]
async fn a_descendant_that_left_the_group_is_ended_too() {
    if !Path::new("/usr/bin/setsid").exists() {
        eprintln!("skipped: this machine has no setsid");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = "setsid sh -c 'echo $$ > stray; exec sleep 1000' & echo $$ > leader; wait";
    let running = sh(folder.path(), script).start().unwrap();
    let leader = process_in(&folder.path().join("leader")).await;
    let stray = process_in(&folder.path().join("stray")).await;
    running.stop();
    running.outcome().await.unwrap();
    assert!(!processes::still(leader) && !processes::still(stray));
}

#[tokio::test]
async fn a_leftover_that_holds_the_output_open_hangs_nothing_and_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let script = "sh -c 'echo $$ > leftover; exec sleep 1000' & \
                  while ! [ -s leftover ]; do :; done; echo done; exit 5";
    let run = Run { linger: Duration::from_millis(20), ..sh(folder.path(), script) };
    let running = run.start().unwrap();
    let leftover = process_in(&folder.path().join("leftover")).await;
    let outcome = running.outcome().await.unwrap();
    let seen = (outcome.exit, outcome.ended_by, outcome.stdout);
    assert_eq!(seen, (Exit::Code(5), EndedBy::Itself, whole("done\n")));
    assert!(!processes::still(leftover));
}

#[tokio::test]
async fn output_that_comes_just_after_the_exit_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let script = "(while kill -0 $$ 2>/dev/null; do :; done; echo late) & exit 0";
    let run = Run { linger: LONG, ..sh(folder.path(), script) };
    let outcome = run.finish().await.unwrap();
    assert_eq!(outcome.stdout, whole("late\n"));
}

#[tokio::test]
async fn a_stream_hands_over_output_as_it_comes() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo one; while ! [ -e go ]; do sleep 0.01; done; echo two >&2";
    let (running, mut chunks) = sh(folder.path(), script).stream().unwrap();
    let chunk = |stream, text: &str| Some(Chunk { stream, bytes: text.into() });
    assert_eq!(chunks.recv().await, chunk(Stream::Stdout, "one\n"));
    fs::write(folder.path().join("go"), "").unwrap();
    assert_eq!(chunks.recv().await, chunk(Stream::Stderr, "two\n"));
    assert_eq!(chunks.recv().await, None);
    let outcome = running.outcome().await.unwrap();
    assert_eq!((outcome.stdout, outcome.stderr), (whole("one\n"), whole("two\n")));
}

#[tokio::test]
async fn a_stream_that_nobody_reads_makes_the_program_wait_but_not_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo $$ > leader; cat /dev/zero";
    let (running, unread) = sh(folder.path(), script).stream().unwrap();
    process_in(&folder.path().join("leader")).await;
    running.stop();
    assert_eq!(running.outcome().await.unwrap().ended_by, EndedBy::Stop);
    drop(unread);
}

#[tokio::test]
async fn a_slow_reader_of_a_stream_gets_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let linger = Duration::from_secs(1);
    let run =
        Run { linger, timeout: Duration::from_hours(24), ..sh(folder.path(), "head -c 2000000 /dev/zero") };
    let (running, mut chunks) = run.stream().unwrap();
    let mut length = 0;
    while let Some(chunk) = chunks.recv().await {
        length += chunk.bytes.len();
        if !chunks.is_empty() {
            time_passes(linger * 2).await;
        }
    }
    assert_eq!((length, running.outcome().await.unwrap().exit), (2_000_000, Exit::Code(0)));
}

#[tokio::test]
async fn a_stream_whose_reader_left_runs_on() {
    let folder = tempfile::tempdir().unwrap();
    let (running, chunks) = sh(folder.path(), "head -c 3000000 /dev/zero").stream().unwrap();
    drop(chunks);
    let outcome = running.outcome().await.unwrap();
    let total = outcome.stdout.bytes.len() as u64 + outcome.stdout.cut;
    assert_eq!((outcome.exit, total), (Exit::Code(0), 3_000_000));
}

#[tokio::test]
async fn a_launched_program_has_its_own_session_and_leaves_no_dead_entry() {
    let folder = tempfile::tempdir().unwrap();
    let mut env = Env::empty();
    env.set("PATH", "/usr/bin:/bin");
    let script = "echo $$ > launched; while ! [ -e go ]; do sleep 0.01; done";
    let pid = launch(&Launch {
        program: "/bin/sh".into(),
        args: Args::Each(vec!["-c".into(), script.into()]),
        env,
        cwd: folder.path().into(),
    })
    .unwrap()
    .pid();
    let launched = process_in(&folder.path().join("launched")).await;
    assert_eq!(launched.pid, pid);
    let session = |pid| {
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap());
        rustix::process::getsid(pid).map(|session| session.as_raw_pid())
    };
    assert_eq!(
        session(pid),
        Ok(i32::try_from(pid).unwrap()),
        "it leads a session, so it is in nobody else's"
    );

    fs::write(folder.path().join("go"), "").unwrap();
    gone(launched).await;
    eventually("the entry to be cleared", || session(pid).err()).await;
}
