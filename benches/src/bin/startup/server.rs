//! `up`: time to ready, and idle memory.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tarsus_benches::report::Row;

/// The line that `up` prints when it is ready.
const READY: &str = "ready in ";
/// How long a new process settles before its memory counts as idle.
const SETTLE: Duration = Duration::from_secs(1);

/// Time to ready, first and later, and idle memory.
pub fn measure(program: &Path, runs: usize) -> Vec<Row> {
    let (mut first, mut later, mut idle) = (Vec::new(), Vec::new(), None);
    for _ in 0..runs {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (time, server) = Server::start(program, folder.path());
        first.push(time);
        drop(server);
        let (time, server) = Server::start(program, folder.path());
        later.push(time);
        if idle.is_none() {
            std::thread::sleep(SETTLE);
            idle = memory(server.process.id());
        }
    }
    let peers = "ZeroClaw 21 to 31 ms, OpenClaw 9 s";
    let mut rows = vec![
        Row::times("up to ready, new state folder", &first).target(25.0).peers(peers),
        Row::times("up to ready, again", &later).target(25.0).peers(peers),
    ];
    rows.extend(idle.map(|bytes| {
        let peers = "ZeroClaw 32 MB, OpenClaw 718 MB";
        Row::memory("up, idle memory", vec![bytes]).target(15.0).peers(peers)
    }));
    rows
}

struct Server {
    process: Child,
}

impl Server {
    fn start(program: &Path, state: &Path) -> (Duration, Self) {
        let mut command = Command::new(program);
        command.arg("--state-dir").arg(state).args(["up", "--port", "0"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let start = Instant::now();
        let mut process = command.spawn().expect("the program can be started");
        let output = BufReader::new(process.stdout.take().expect("its output is ours"));
        let ready = output.lines().map_while(Result::ok).any(|line| line.starts_with(READY));
        let time = start.elapsed();
        let server = Self { process };
        assert!(ready, "{command:?} ended before it was ready");
        (time, server)
    }
}

impl Drop for Server {
    /// Ends it cleanly, so that the next start is a usual one.
    fn drop(&mut self) {
        ask_to_end(&mut self.process);
        self.process.wait().expect("a child can be waited for");
    }
}

#[cfg(unix)]
fn ask_to_end(process: &mut Child) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let pid = i32::try_from(process.id()).expect("a process id is small");
    kill(Pid::from_raw(pid), Signal::SIGTERM).expect("a child can be signalled");
}

#[cfg(not(unix))]
fn ask_to_end(process: &mut Child) {
    process.kill().expect("a child can be ended");
}

/// The resident memory of a process, in bytes; known on Linux only.
fn memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}
