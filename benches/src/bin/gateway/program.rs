//! Gateways to start: ours, and installed peers. Each listens on a given port with its own home,
//! and is ended with all its processes.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tarsus_benches::registry;

/// How long a new process settles before its memory counts as idle.
const SETTLE: Duration = Duration::from_secs(1);
/// The timeout of becoming ready.
const PATIENCE: Duration = Duration::from_secs(120);
/// Between two checks for readiness.
const LOOK: Duration = Duration::from_micros(200);
const TOKEN: &str = "a-token-for-measurements";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Tarsus,
    OpenClaw,
    ZeroClaw,
}

impl Kind {
    /// The name of the gateway and of its program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tarsus => "tarsus",
            Self::OpenClaw => "openclaw",
            Self::ZeroClaw => "zeroclaw",
        }
    }
}

/// A gateway that can be started.
#[derive(Debug)]
pub struct Program {
    pub kind: Kind,
    pub path: PathBuf,
}

/// A running gateway.
#[derive(Debug)]
pub struct Started {
    process: Child,
    state: PathBuf,
    pub ready: Duration,
    pub port: u16,
    pub token: String,
}

impl Program {
    /// A peer on PATH.
    pub fn installed(kind: Kind) -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        let found =
            std::env::split_paths(&path).map(|folder| folder.join(kind.name())).find(|file| file.is_file());
        found.map(|path| Self { kind, path })
    }

    /// The folder of added skills.
    pub fn skills(&self, home: &Path) -> PathBuf {
        state(home).join("skills")
    }

    /// Starts it and waits until it is ready.
    pub fn start(&self, home: &Path) -> Result<Started, String> {
        let (state, port) = (state(home), free_port());
        let mut command = Command::new(&self.path);
        command
            .env("HOME", home)
            .current_dir(home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let ready = match self.kind {
            Kind::Tarsus => "/readyz",
            Kind::OpenClaw => {
                fs::create_dir_all(&state).map_err(|error| error.to_string())?;
                let gateway =
                    json!({ "mode": "local", "bind": "loopback", "port": port, "auth": { "token": TOKEN } });
                let config = json!({ "gateway": gateway }).to_string();
                fs::write(state.join("openclaw.json"), config).map_err(|error| error.to_string())?;
                "/readyz"
            }
            Kind::ZeroClaw => "/health",
        };
        let run = if self.kind == Kind::ZeroClaw { "start" } else { "run" };
        command.env("OPENCLAW_STATE_DIR", &state).args(["gateway", run, "--port", &port.to_string()]);
        let begun = Instant::now();
        let process = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let mut started = Started { process, state, ready: Duration::ZERO, port, token: TOKEN.to_owned() };
        while !is_ready(port, ready) {
            if let Ok(Some(status)) = started.process.try_wait() {
                return Err(format!("{command:?} ended with {status} before it was ready"));
            }
            if begun.elapsed() > PATIENCE {
                return Err(format!("{command:?} was not ready within {PATIENCE:?}"));
            }
            std::thread::sleep(LOOK);
        }
        started.ready = begun.elapsed();
        if self.kind == Kind::Tarsus {
            let file = started.state.join("tarsus/gateway.token");
            started.token = fs::read_to_string(file).map_err(|error| error.to_string())?.trim().to_owned();
        }
        Ok(started)
    }
}

impl Started {
    /// The resident memory of its process tree, once it has settled.
    pub fn idle_memory(&self) -> Option<u64> {
        std::thread::sleep(SETTLE);
        self.memory()
    }

    /// The resident memory now. Known on Linux only.
    pub fn memory(&self) -> Option<u64> {
        let parents = parents()?;
        let is_ours = |mut pid: u32| loop {
            if pid == self.process.id() {
                return true;
            }
            match parents.get(&pid) {
                Some(parent) if *parent != pid => pid = *parent,
                _ => return false,
            }
        };
        Some(parents.keys().filter(|pid| is_ours(**pid)).filter_map(|pid| resident(*pid)).sum())
    }

    /// Registers so many apps.
    pub fn register(&self, apps: usize) {
        let file = self.state.join("registries/application_registry.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, registry(apps)).unwrap();
    }
}

impl Drop for Started {
    /// Ends it cleanly, so that the next start is a usual one.
    fn drop(&mut self) {
        ask_to_end(&mut self.process);
        self.process.wait().expect("a child can be waited for");
    }
}

fn state(home: &Path) -> PathBuf {
    home.join(".openclaw")
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

/// Whether `GET path` returns 200.
fn is_ready(port: u16, path: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else { return false };
    let head = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    let mut answer = String::new();
    stream.write_all(head.as_bytes()).is_ok()
        && stream.read_to_string(&mut answer).is_ok()
        && answer.starts_with("HTTP/1.1 200 ")
}

/// The parent of every process.
fn parents() -> Option<BTreeMap<u32, u32>> {
    let entries = fs::read_dir("/proc").ok()?;
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parent = |pid: u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may contain anything; state and parent follow it.
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    };
    Some(pids.filter_map(|pid| Some((pid, parent(pid)?))).collect())
}

/// The resident memory of a process, in bytes.
fn resident(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

#[cfg(unix)]
fn ask_to_end(process: &mut Child) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let pid = i32::try_from(process.id()).expect("a process id is small");
    // It may have ended meanwhile.
    kill(Pid::from_raw(pid), Signal::SIGTERM).ok();
}

#[cfg(not(unix))]
fn ask_to_end(process: &mut Child) {
    // It may have ended meanwhile.
    process.kill().ok();
}
