//! The guarantees of a run, with real processes on Unix.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use crate::support::{eventually, gone, process_in, time_passes};
use tarsus_host::process::{
    CapturedOutput, DetachedCommand, EndCause, Env, LaunchArgs, OutputChunk, OutputStream, ProcessError,
    ProcessExit, ProcessSpec, launch,
};
use tarsus_host::processes::{self, ProcessId};

/// Long enough never to be reached by a test that works.
const LONG: Duration = Duration::from_secs(60);

fn sh(folder: &Path, script: &str) -> ProcessSpec {
    let mut env = Env::empty();
    env.set("PATH", "/usr/local/bin:/usr/bin:/bin");
    ProcessSpec {
        args: vec!["-c".into(), script.into()],
        env,
        timeout: LONG,
        ..ProcessSpec::new("/bin/sh", folder)
    }
}

fn whole(text: &str) -> CapturedOutput {
    CapturedOutput { bytes: text.into(), cut: 0, cut_at: text.len() }
}

#[tokio::test]
async fn outcome_has_output_and_exit() {
    let folder = tempfile::tempdir().unwrap();
    for (script, exit, stdout, stderr) in [
        ("echo out; echo err >&2", ProcessExit::Code(0), "out\n", "err\n"),
        ("exit 7", ProcessExit::Code(7), "", ""),
        ("kill -KILL $$", ProcessExit::Signal(9), "", ""),
    ] {
        let outcome = sh(folder.path(), script).finish().await.unwrap();
        let seen = (outcome.exit, outcome.ended_by, outcome.stdout, outcome.stderr);
        assert_eq!(seen, (exit, EndCause::Itself, whole(stdout), whole(stderr)), "{script}");
    }
}

#[tokio::test]
async fn environment_folder_and_input_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap();
    let mut env = Env::empty();
    env.set("A", "1").set("名", "值 \n2");
    let outcome =
        ProcessSpec { env, timeout: LONG, ..ProcessSpec::new("/usr/bin/env", &cwd) }.finish().await.unwrap();
    assert_eq!(outcome.stdout, whole("A=1\n名=值 \n2\n"));

    let outcome = sh(&cwd, "/bin/pwd; cat").finish().await.unwrap();
    assert_eq!(outcome.stdout, whole(&format!("{}\n", cwd.display())), "no input is an empty one");

    let input = Some(b"a\0b".to_vec());
    let outcome = ProcessSpec { stdin: input, ..sh(&cwd, "cat") }.finish().await.unwrap();
    assert_eq!(outcome.stdout, whole("a\0b"));
}

#[tokio::test]
async fn unread_input_and_excess_output_do_not_block() {
    let folder = tempfile::tempdir().unwrap();
    let script = "head -c 10000000 /dev/zero | tr '\\0' x; head -c 10000000 /dev/zero >&2; echo end";
    let run = ProcessSpec {
        stdin: Some(vec![b'i'; 4_000_000]),
        output_cap: 64 * 1024,
        ..sh(folder.path(), script)
    };
    let outcome = run.finish().await.unwrap();

    let mut kept = vec![b'x'; 64 * 1024];
    kept.splice(64 * 1024 - 4.., *b"end\n");
    let cut = |total: u64, bytes: Vec<u8>| CapturedOutput {
        cut: total - bytes.len() as u64,
        cut_at: bytes.len() / 2,
        bytes,
    };
    assert_eq!(outcome.exit, ProcessExit::Code(0));
    assert_eq!(outcome.stdout, cut(10_000_004, kept));
    assert_eq!(outcome.stderr, cut(10_000_000, vec![0; 64 * 1024]));
}

#[tokio::test]
async fn program_path_may_have_spaces_and_chinese() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("我的 程序 (1) & $HOME.sh");
    fs::write(&program, "#!/bin/sh\nprintf '%s|' \"$@\"\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let args = ["a b", "", "$HOME", "'\"", "名"].map(Into::into).to_vec();
    let run = ProcessSpec { args, timeout: LONG, ..ProcessSpec::new(program, folder.path()) };
    assert_eq!(run.finish().await.unwrap().stdout, whole("a b||$HOME|'\"|名|"));
}

#[tokio::test]
async fn start_errors_have_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("plain"), "text").unwrap();

    let error = |run: ProcessSpec| run.start().unwrap_err();
    let missing = error(ProcessSpec::new(at("missing"), folder.path()));
    assert!(matches!(missing, ProcessError::NotFound { program } if program == at("missing")));
    let nowhere = error(ProcessSpec::new("/bin/sh", at("missing")));
    assert!(matches!(nowhere, ProcessError::NoFolder { cwd, .. } if cwd == at("missing")));
    let plain = error(ProcessSpec::new(at("plain"), folder.path()));
    assert!(matches!(plain, ProcessError::Start { program, .. } if program == at("plain")));
    let relative = error(ProcessSpec::new("sh", folder.path()));
    assert!(matches!(relative, ProcessError::NotAbsolute { program } if program == Path::new("sh")));

    for name in ["", "A=B", "A\0"] {
        let mut run = ProcessSpec::new("/bin/sh", folder.path());
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

fn deaf_tree(folder: &Path) -> ProcessSpec {
    ProcessSpec { grace: Duration::from_millis(20), ..sh(folder, DEAF_TREE) }
}

async fn tree_in(folder: &Path) -> [ProcessId; 3] {
    let process = async |name: &str| process_in(&folder.join(name)).await;
    [process("leader").await, process("child").await, process("grandchild").await]
}

#[tokio::test]
async fn timeout_ends_the_whole_tree_even_if_it_ignores_term() {
    let folder = tempfile::tempdir().unwrap();
    let running = deaf_tree(folder.path()).start().unwrap();
    let tree = tree_in(folder.path()).await;
    time_passes(LONG).await;
    let outcome = running.outcome().await.unwrap();
    assert_eq!((outcome.exit, outcome.ended_by), (ProcessExit::Signal(9), EndCause::TimeOut));
    assert!(!tree.iter().any(|process| processes::is_running(*process)), "none is left at the outcome");
}

#[tokio::test]
async fn stop_ends_the_whole_tree_and_keeps_output() {
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
    assert_eq!(seen, (ProcessExit::Signal(9), EndCause::Stop, whole("begun\n")));
    assert!(!tree.iter().any(|process| processes::is_running(*process)));
}

#[tokio::test]
async fn program_that_handles_term_exits_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let script = "trap 'echo bye; exit 3' TERM; echo $$ > leader; while :; do sleep 0.01; done";
    let running = ProcessSpec { grace: LONG, ..sh(folder.path(), script) }.start().unwrap();
    process_in(&folder.path().join("leader")).await;
    running.stop();
    let outcome = running.outcome().await.unwrap();
    let seen = (outcome.exit, outcome.ended_by, outcome.stdout);
    assert_eq!(seen, (ProcessExit::Code(3), EndCause::Stop, whole("bye\n")));
}

#[tokio::test]
async fn dropped_future_ends_the_whole_tree() {
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
fn runtime_shutdown_ends_programs() {
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
async fn descendant_outside_the_group_is_ended() {
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
    assert!(!processes::is_running(leader) && !processes::is_running(stray));
}

#[tokio::test]
async fn leftover_holding_the_pipe_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let script = "sh -c 'echo $$ > leftover; exec sleep 1000' & \
                  while ! [ -s leftover ]; do :; done; echo done; exit 5";
    let run = ProcessSpec { linger: Duration::from_millis(20), ..sh(folder.path(), script) };
    let running = run.start().unwrap();
    let leftover = process_in(&folder.path().join("leftover")).await;
    let outcome = running.outcome().await.unwrap();
    let seen = (outcome.exit, outcome.ended_by, outcome.stdout);
    assert_eq!(seen, (ProcessExit::Code(5), EndCause::Itself, whole("done\n")));
    assert!(!processes::is_running(leftover));
}

#[tokio::test]
async fn output_just_after_exit_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let script = "(while kill -0 $$ 2>/dev/null; do :; done; echo late) & exit 0";
    let run = ProcessSpec { linger: LONG, ..sh(folder.path(), script) };
    let outcome = run.finish().await.unwrap();
    assert_eq!(outcome.stdout, whole("late\n"));
}

#[tokio::test]
async fn stream_delivers_output_as_it_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo one; while ! [ -e go ]; do sleep 0.01; done; echo two >&2";
    let (running, mut chunks) = sh(folder.path(), script).stream().unwrap();
    let chunk = |stream, text: &str| Some(OutputChunk { stream, bytes: text.into() });
    assert_eq!(chunks.recv().await, chunk(OutputStream::Stdout, "one\n"));
    fs::write(folder.path().join("go"), "").unwrap();
    assert_eq!(chunks.recv().await, chunk(OutputStream::Stderr, "two\n"));
    assert_eq!(chunks.recv().await, None);
    let outcome = running.outcome().await.unwrap();
    assert_eq!((outcome.stdout, outcome.stderr), (whole("one\n"), whole("two\n")));
}

#[tokio::test]
async fn unread_stream_blocks_program_until_timeout() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo $$ > leader; cat /dev/zero";
    let (running, unread) = sh(folder.path(), script).stream().unwrap();
    process_in(&folder.path().join("leader")).await;
    running.stop();
    assert_eq!(running.outcome().await.unwrap().ended_by, EndCause::Stop);
    drop(unread);
}

#[tokio::test]
async fn slow_stream_reader_gets_everything() {
    let folder = tempfile::tempdir().unwrap();
    let linger = Duration::from_secs(1);
    let run = ProcessSpec {
        linger,
        timeout: Duration::from_hours(24),
        ..sh(folder.path(), "head -c 2000000 /dev/zero")
    };
    let (running, mut chunks) = run.stream().unwrap();
    let mut length = 0;
    while let Some(chunk) = chunks.recv().await {
        length += chunk.bytes.len();
        if !chunks.is_empty() {
            time_passes(linger * 2).await;
        }
    }
    assert_eq!((length, running.outcome().await.unwrap().exit), (2_000_000, ProcessExit::Code(0)));
}

#[tokio::test]
async fn dropped_stream_reader_does_not_block() {
    let folder = tempfile::tempdir().unwrap();
    let (running, chunks) = sh(folder.path(), "head -c 3000000 /dev/zero").stream().unwrap();
    drop(chunks);
    let outcome = running.outcome().await.unwrap();
    let total = outcome.stdout.bytes.len() as u64 + outcome.stdout.cut;
    assert_eq!((outcome.exit, total), (ProcessExit::Code(0), 3_000_000));
}

#[tokio::test]
async fn launched_program_has_own_session_and_is_reaped() {
    let folder = tempfile::tempdir().unwrap();
    let mut env = Env::empty();
    env.set("PATH", "/usr/bin:/bin");
    let script = "echo $$ > launched; while ! [ -e go ]; do sleep 0.01; done";
    let pid = launch(&DetachedCommand {
        program: "/bin/sh".into(),
        args: LaunchArgs::Each(vec!["-c".into(), script.into()]),
        env,
        cwd: folder.path().into(),
        agent: None,
        drain: Vec::new(),
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

#[tokio::test]
async fn launched_program_prints_errors_on_after_it_was_watched() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo first >&2; : > printed; while ! [ -e go ]; do sleep 0.01; done; \
                  i=0; while [ $i -lt 20000 ]; do echo line $i >&2 || exit 1; i=$((i+1)); done; : > done";
    let mut env = Env::empty();
    env.set("PATH", "/usr/bin:/bin");
    let mut launched = launch(&DetachedCommand {
        program: "/bin/sh".into(),
        args: LaunchArgs::Each(vec!["-c".into(), script.into()]),
        env,
        cwd: folder.path().into(),
        agent: None,
        drain: vec!["/bin/cat".into()],
    })
    .unwrap();
    eventually("the first error", || folder.path().join("printed").exists().then_some(())).await;
    assert_eq!(launched.printed_errors().bytes, b"first\n");
    drop(launched);
    fs::write(folder.path().join("go"), "").unwrap();
    eventually("the program to end", || folder.path().join("done").exists().then_some(())).await;
}

#[tokio::test]
async fn errors_of_a_launched_program_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let script = "i=0; while [ $i -lt 20000 ]; do echo line $i >&2; i=$((i+1)); done; echo why >&2; exit 3";
    let mut launched = launch(&DetachedCommand {
        program: "/bin/sh".into(),
        args: LaunchArgs::Each(vec!["-c".into(), script.into()]),
        env: Env::empty(),
        cwd: folder.path().into(),
        agent: None,
        drain: vec!["/bin/cat".into()],
    })
    .unwrap();
    assert_eq!(launched.exit().await.unwrap(), ProcessExit::Code(3));
    let printed = launched.printed_errors();
    assert!(printed.bytes.len() <= 4096 && printed.is_cut(), "{printed:?}");
    assert!(printed.bytes.starts_with(b"line 0\n") && printed.bytes.ends_with(b"why\n"));
}
