//! The mark of an agent's process cannot be taken off again, not even by root.

use std::env;
use std::fs;
use std::process::{Command, Stdio};

use tarsus_host::process::{DetachedCommand, Env, LaunchArgs, launch};

const INSIDE: &str = "TARSUS_TEST_AS_ROOT";
/// CAP_SYS_RESOURCE, as a bit of the sets in `/proc/PID/status`.
const RAISE_LIMITS: u64 = 1 << 24;
const SETS: [&str; 5] = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"];

/// The capabilities in a text of `/proc/PID/status`.
fn capabilities(status: &str) -> [u64; 5] {
    SETS.map(|set| {
        let line = status.lines().find_map(|line| line.strip_prefix(set)?.strip_prefix(':'));
        u64::from_str_radix(line.unwrap().trim(), 16).unwrap()
    })
}

/// A process of an agent prints its capabilities and limits after it tried to raise them.
async fn assert_marked_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        "cat /proc/self/status >status; ulimit -H -x unlimited 2>refused; cat /proc/self/limits >limits";
    let mut env = Env::empty();
    env.set("PATH", env::var_os("PATH").unwrap());
    let detached = DetachedCommand {
        program: "/bin/bash".into(),
        args: LaunchArgs::Each(vec!["-c".into(), script.into()]),
        env,
        cwd: folder.path().to_owned(),
        agent: Some("main".to_owned()),
        drain: Vec::new(),
    };
    launch(&detached).unwrap().exit().await.unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let ours = capabilities(&fs::read_to_string("/proc/self/status").unwrap());
    let theirs = capabilities(&read("status"));
    for (index, set) in SETS.iter().enumerate() {
        assert_eq!(theirs[index] & RAISE_LIMITS, 0, "{set}: {:x}", theirs[index]);
    }
    assert_eq!(theirs[3], ours[3] & !RAISE_LIMITS, "it loses nothing else");
    let limits = read("limits");
    let locks = limits.lines().find(|line| line.starts_with("Max file locks")).unwrap();
    assert!(!locks.contains("unlimited"), "{locks}");
}

/// Runs as root of a namespace of its own where that is possible, so that there is something to lose; elsewhere as it is.
#[tokio::test]
async fn process_of_an_agent_cannot_raise_its_limits() {
    const NAME: &str = "agent_mark_linux::process_of_an_agent_cannot_raise_its_limits";
    let as_root = || {
        let mut command = Command::new("unshare");
        command.arg("-r");
        command
    };
    let may = as_root().arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if env::var_os(INSIDE).is_none() && may {
        let test = env::current_exe().unwrap();
        let output = as_root().arg(test).args(["--exact", NAME]).env(INSIDE, "1").output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
        return;
    }
    if env::var_os(INSIDE).is_some() {
        let ours = capabilities(&fs::read_to_string("/proc/self/status").unwrap());
        assert_eq!(ours[3] & RAISE_LIMITS, RAISE_LIMITS, "root of a new namespace has every capability");
    }
    assert_marked_for_good().await;
}
