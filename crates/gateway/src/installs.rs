//! Programs that install what skills need, while they run.
//!
//! Promises: a command runs once at a time, and few run at once; it gets no secret of ours, ends in time and with all it
//! started, when somebody says so, and when the gateway stops; what it writes is told as it comes, without known
//! secrets, up to a bound.
//! Leaves to others: whether it may run, and what is written down about it.

use std::collections::BTreeMap;
use std::future::pending;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsus_agent::reply::{Mask, Secrets};
use tarsus_host::process::{Chunk, Env, Outcome, ProcessError, Run, Stream};
use tarsus_protocol::event::{Event, InstallStream, SkillsInstallOutput};
use tokio::sync::watch;

use crate::events::Events;
use crate::gateway::Gateway;

/// How many may run at once.
const MOST_AT_ONCE: usize = 4;
/// Bytes that are kept of what one writes, and as many of what it writes besides.
const MOST_KEPT: usize = 128 * 1024;
/// Bytes that are told of what one writes, as it comes.
const MOST_TOLD: usize = 256 * 1024;
/// Pieces in which they are told.
const MOST_PIECES: u64 = 4_096;
/// What is read of its output before it is told.
const READ_AT_ONCE: usize = 64;

/// Variables of ours that an installer gets: where things are, how others are reached, what language is spoken.
const VARIABLES: [&str; 47] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TEMP",
    "TMP",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "HOMEBREW_PREFIX",
    "NPM_CONFIG_PREFIX",
    "NPM_CONFIG_REGISTRY",
    "PNPM_HOME",
    "BUN_INSTALL",
    "GOBIN",
    "GOPATH",
    "GOPROXY",
    "UV_TOOL_DIR",
    "UV_TOOL_BIN_DIR",
    "UV_INDEX_URL",
    "SystemRoot",
    "SystemDrive",
    "ComSpec",
    "PATHEXT",
    "USERNAME",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramData",
    "ProgramFiles",
    "ProgramFiles(x86)",
];

/// The commands that run.
#[derive(Debug, Default)]
pub(crate) struct Installs(Mutex<BTreeMap<Vec<String>, One>>);

/// A command that runs.
#[derive(Debug)]
struct One {
    told: Told,
    /// Who wants it to end, once somebody does.
    stop: watch::Sender<Option<String>>,
}

/// What an installation is, as clients are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// The skill.
    pub name: String,
    /// The key of its settings.
    pub skill_key: String,
    /// The way that was asked for.
    pub install_id: String,
}

/// Why a command cannot begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It runs already.
    Running,
    /// As many as may run at once do.
    Many,
}

/// The place of a command among those that run; free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    installs: Arc<Installs>,
    command: Vec<String>,
    stop: watch::Receiver<Option<String>>,
}

impl Installs {
    /// Takes a place for a command.
    pub(crate) fn begin(self: &Arc<Self>, command: &[String], told: &Told) -> Result<Place, Taken> {
        let mut running = self.running();
        if running.contains_key(command) {
            return Err(Taken::Running);
        }
        if running.len() >= MOST_AT_ONCE {
            return Err(Taken::Many);
        }
        let (sender, stop) = watch::channel(None);
        running.insert(command.to_vec(), One { told: told.clone(), stop: sender });
        Ok(Place { installs: Arc::clone(self), command: command.to_vec(), stop })
    }

    /// Has an installation end; says whether there is one. Whoever asks first is the one who stopped it.
    pub(crate) fn stop(&self, name: &str, install_id: &str, by: &str) -> bool {
        let running = self.running();
        let one = running.values().find(|one| one.told.name == name && one.told.install_id == install_id);
        let Some(one) = one else { return false };
        one.stop.send_if_modified(|who| {
            let is_first = who.is_none();
            who.get_or_insert_with(|| by.to_owned());
            is_first
        });
        true
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<Vec<String>, One>> {
        // A holder that panicked has left whole entries behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Waits until somebody wants it to end.
    async fn stopped(&self) {
        // The sender lives as long as this place.
        self.stop.clone().wait_for(Option::is_some).await.ok();
    }

    /// Who wanted it to end, if somebody did.
    pub(crate) fn stopped_by(&self) -> Option<String> {
        self.stop.borrow().clone()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.installs.running().remove(&self.command);
    }
}

/// What runs.
pub(crate) struct Installer {
    /// Where the program is.
    pub program: PathBuf,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder it starts in.
    pub folder: PathBuf,
    /// How long it may take.
    pub timeout: Duration,
    /// What nobody is shown.
    pub secrets: Secrets,
    /// What it is, as clients are told.
    pub told: Told,
    /// Its place among those that run.
    pub place: Place,
}

/// Runs it to its end.
///
/// # Errors
/// When it cannot be started or followed.
pub(crate) async fn run(gateway: &Gateway, installer: &Installer) -> Result<Outcome, ProcessError> {
    let mut env = Env::inherit(gateway.given.environment.iter().cloned(), &VARIABLES);
    env.set("NO_COLOR", "1");
    let run = Run {
        args: installer.command.iter().skip(1).map(Into::into).collect(),
        env,
        timeout: installer.timeout,
        output_cap: MOST_KEPT,
        ..Run::new(&installer.program, &installer.folder)
    };
    let (running, mut chunks) = run.stream()?;
    let mut teller = Teller::new(&gateway.events, installer);
    let stopper = running.stopper();
    let following = async {
        let mut read = Vec::new();
        while chunks.recv_many(&mut read, READ_AT_ONCE).await > 0 {
            teller.tell(&read);
            read.clear();
        }
        teller.finish();
        running.outcome().await
    };
    // Also one that writes nothing any more, or has closed its output, is ended.
    let stopping = async {
        tokio::select! {
            () = gateway.events.stopping() => {}
            () = installer.place.stopped() => {}
        }
        stopper.stop();
        pending().await
    };
    tokio::select! {
        outcome = following => outcome,
        outcome = stopping => outcome,
    }
}

/// Tells what is written, as text.
struct Teller<'a> {
    events: &'a Events,
    installer: &'a Installer,
    seq: u64,
    told: usize,
    stdout: Piece,
    stderr: Piece,
}

/// What of a stream is not told yet.
struct Piece {
    /// The beginning of a character.
    rest: Vec<u8>,
    mask: Mask,
}

impl<'a> Teller<'a> {
    fn new(events: &'a Events, installer: &'a Installer) -> Self {
        let piece = || Piece { rest: Vec::new(), mask: installer.secrets.mask() };
        Self { events, installer, seq: 0, told: 0, stdout: piece(), stderr: piece() }
    }

    /// Tells what was read, in as few pieces as its order allows.
    fn tell(&mut self, read: &[Chunk]) {
        for chunks in read.chunk_by(|one, other| one.stream == other.stream) {
            let Some(first) = chunks.first() else { continue };
            let bytes: Vec<u8> = chunks.iter().flat_map(|chunk| &chunk.bytes).copied().collect();
            let (piece, stream) = match first.stream {
                Stream::Stdout => (&mut self.stdout, InstallStream::Stdout),
                Stream::Stderr => (&mut self.stderr, InstallStream::Stderr),
            };
            let text = piece.push(&bytes);
            self.say(stream, text);
        }
    }

    fn finish(mut self) {
        let nothing = || Piece { rest: Vec::new(), mask: self.installer.secrets.mask() };
        let (stdout, stderr) = (nothing(), nothing());
        let stdout = std::mem::replace(&mut self.stdout, stdout).finish();
        let stderr = std::mem::replace(&mut self.stderr, stderr).finish();
        self.say(InstallStream::Stdout, stdout);
        self.say(InstallStream::Stderr, stderr);
    }

    fn say(&mut self, stream: InstallStream, text: String) {
        if text.is_empty() || self.told > MOST_TOLD || self.seq > MOST_PIECES {
            return;
        }
        self.seq += 1;
        self.told += text.len();
        let is_last = self.told > MOST_TOLD || self.seq > MOST_PIECES;
        let text = if is_last { "\n… more is written than is shown here\n".to_owned() } else { text };
        let Told { name, skill_key, install_id } = self.installer.told.clone();
        let output = SkillsInstallOutput { name, skill_key, install_id, stream, text, seq: self.seq };
        self.events.tell(Event::SkillsInstallOutput, &output);
    }
}

impl Piece {
    /// What can be told after these bytes.
    fn push(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() - unfinished(&self.rest);
        let text = String::from_utf8_lossy(&self.rest[..whole]).into_owned();
        self.rest.drain(..whole);
        self.mask.push(&text)
    }

    /// What can be told when nothing comes any more.
    fn finish(mut self) -> String {
        let rest = String::from_utf8_lossy(&self.rest).into_owned();
        let mut text = self.mask.push(&rest);
        text.push_str(&self.mask.finish());
        text
    }
}

/// How many bytes at the end are the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.len().saturating_sub(3);
    let begun = bytes[last..].iter().rev().position(|byte| *byte >= 0xC0).map(|at| at + 1);
    begun
        .filter(|&there| {
            let first = bytes[bytes.len() - there];
            there
                < if first >= 0xF0 {
                    4
                } else if first >= 0xE0 {
                    3
                } else {
                    2
                }
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_runs_once_and_few_run_at_once() {
        let installs: Arc<Installs> = Arc::default();
        let begin = |name| begin(&installs, name);
        let first = begin("a").unwrap();
        assert_eq!(begin("a").unwrap_err(), Taken::Running);
        let others = ["b", "c", "d"].map(|name| begin(name).unwrap());
        assert_eq!(begin("e").unwrap_err(), Taken::Many);
        drop(first);
        drop(begin("a").unwrap());
        drop(others);
        assert!(installs.running().is_empty());
    }

    fn begin(installs: &Arc<Installs>, name: &str) -> Result<Place, Taken> {
        let [name, skill_key, install_id] = [name, "key", "brew"].map(str::to_owned);
        let command = ["brew", "install", &name].map(str::to_owned);
        installs.begin(&command, &Told { name, skill_key, install_id })
    }

    #[tokio::test]
    async fn what_runs_is_stopped_by_the_first_who_says_so_and_nothing_else_is() {
        let installs: Arc<Installs> = Arc::default();
        let (one, other) = (begin(&installs, "a").unwrap(), begin(&installs, "b").unwrap());
        assert!(!installs.stop("a", "npm", "nobody") && !installs.stop("c", "brew", "nobody"));
        assert!(installs.stop("a", "brew", "the first") && installs.stop("a", "brew", "the second"));
        one.stopped().await;
        assert_eq!((one.stopped_by().as_deref(), other.stopped_by()), (Some("the first"), None));
        drop(one);
        assert!(!installs.stop("a", "brew", "late"));
    }

    #[test]
    fn text_is_told_whole_however_it_was_cut_and_secrets_are_not() {
        let written = "zwölf 十二 🦀 sesame-street \u{1b}[1mdone".as_bytes();
        for size in 1..written.len() {
            let mut piece = Piece { rest: Vec::new(), mask: Secrets::new(["sesame-street"]).mask() };
            let mut told: String = written.chunks(size).map(|bytes| piece.push(bytes)).collect();
            told.push_str(&piece.finish());
            assert_eq!(told, "zwölf 十二 🦀 [hidden] \u{1b}[1mdone", "in pieces of {size}");
        }
        let mut piece = Piece { rest: Vec::new(), mask: Secrets::new([]).mask() };
        assert_eq!(piece.push(b"a\xFFb\xE5\x8D"), "a\u{FFFD}b");
        assert_eq!(piece.finish(), "\u{FFFD}");
    }
}
