//! Running installer processes for skills.
//!
//! A command runs at most once at a time and gets none of our secrets. Its process tree ends on time-out, on request
//! and when the gateway stops. Output is published as it arrives, with secrets masked, up to a limit. Permission and
//! audit are in `rpc::install`.

use std::collections::BTreeMap;
use std::future::pending;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsus_agent::reply::{Mask, SecretMatcher};
use tarsus_host::process::{Env, OutputChunk, OutputStream, ProcessError, ProcessOutcome, ProcessSpec};
use tarsus_protocol::event::{Event, InstallStream, SkillsInstallOutput};
use tokio::sync::watch;

use crate::events::Events;
use crate::gateway::Gateway;

/// Concurrent installations.
const MAX_CONCURRENT: usize = 4;
/// Bytes kept of the start of the output, and as many of its end.
const MAX_KEPT_BYTES: usize = 128 * 1024;
/// Bytes of the output that are published as it arrives.
const MAX_PUBLISHED_BYTES: usize = 256 * 1024;
/// Events published for one installation.
const MAX_EVENTS: u64 = 4_096;
/// Chunks read before they are published.
const READ_AT_ONCE: usize = 64;

/// Environment variables that an installer gets: paths, proxies and locale.
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

/// Running commands by their argument list.
#[derive(Debug, Default)]
pub(crate) struct Installs(Mutex<BTreeMap<Vec<String>, RunningInstall>>);

/// A running command.
#[derive(Debug)]
struct RunningInstall {
    target: InstallTarget,
    /// The client that requested the stop.
    stop: watch::Sender<Option<String>>,
}

/// Identifies an installation in events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InstallTarget {
    /// The skill.
    pub name: String,
    /// The key of its settings.
    pub skill_key: String,
    /// The requested install option.
    pub install_id: String,
}

/// Why a command cannot start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallConflict {
    /// It runs already.
    Running,
    /// The limit of concurrent installations is reached.
    TooMany,
}

/// The slot of a running command; freed on drop.
#[derive(Debug)]
pub(crate) struct InstallSlot {
    installs: Arc<Installs>,
    command: Vec<String>,
    stop: watch::Receiver<Option<String>>,
}

impl Installs {
    /// Reserves a slot for a command.
    pub(crate) fn begin(
        self: &Arc<Self>,
        command: &[String],
        target: &InstallTarget,
    ) -> Result<InstallSlot, InstallConflict> {
        let mut running = self.running();
        if running.contains_key(command) {
            return Err(InstallConflict::Running);
        }
        if running.len() >= MAX_CONCURRENT {
            return Err(InstallConflict::TooMany);
        }
        let (sender, stop) = watch::channel(None);
        running.insert(command.to_vec(), RunningInstall { target: target.clone(), stop: sender });
        Ok(InstallSlot { installs: Arc::clone(self), command: command.to_vec(), stop })
    }

    /// Requests a stop; returns whether the installation exists. The first requester is recorded.
    pub(crate) fn stop(&self, name: &str, install_id: &str, by: &str) -> bool {
        let running = self.running();
        let one = running.values().find(|one| one.target.name == name && one.target.install_id == install_id);
        let Some(one) = one else { return false };
        one.stop.send_if_modified(|who| {
            let is_first = who.is_none();
            who.get_or_insert_with(|| by.to_owned());
            is_first
        });
        true
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<Vec<String>, RunningInstall>> {
        // A holder that panicked has left whole entries behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InstallSlot {
    /// Waits for a stop request.
    async fn stopped(&self) {
        // The sender lives as long as this slot.
        self.stop.clone().wait_for(Option::is_some).await.ok();
    }

    /// The client that requested the stop, if any.
    pub(crate) fn stopped_by(&self) -> Option<String> {
        self.stop.borrow().clone()
    }
}

impl Drop for InstallSlot {
    fn drop(&mut self) {
        self.installs.running().remove(&self.command);
    }
}

/// An installer command.
pub(crate) struct Installer {
    pub program: PathBuf,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder it starts in.
    pub folder: PathBuf,
    /// Time limit.
    pub timeout: Duration,
    /// Secrets to mask in the output.
    pub secrets: SecretMatcher,
    /// Identifies the installation in events.
    pub target: InstallTarget,
    pub place: InstallSlot,
}

/// Runs the installer to its end.
///
/// # Errors
/// If it cannot be started or monitored.
pub(crate) async fn run(gateway: &Gateway, installer: &Installer) -> Result<ProcessOutcome, ProcessError> {
    let mut env = Env::inherit(gateway.context.environment.iter().cloned(), &VARIABLES);
    env.set("NO_COLOR", "1");
    let run = ProcessSpec {
        args: installer.command.iter().skip(1).map(Into::into).collect(),
        env,
        timeout: installer.timeout,
        output_cap: MAX_KEPT_BYTES,
        ..ProcessSpec::new(&installer.program, &installer.folder)
    };
    let (running, mut chunks) = run.stream()?;
    let mut publisher = OutputPublisher::new(&gateway.events, installer);
    let stopper = running.stopper();
    let following = async {
        let mut read = Vec::new();
        while chunks.recv_many(&mut read, READ_AT_ONCE).await > 0 {
            publisher.publish(&read);
            read.clear();
        }
        publisher.finish();
        running.outcome().await
    };
    // Stops also a process that writes nothing or has closed its output.
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

/// Publishes process output as text.
struct OutputPublisher<'a> {
    events: &'a Events,
    installer: &'a Installer,
    seq: u64,
    published_bytes: usize,
    stdout: StreamDecoder,
    stderr: StreamDecoder,
}

/// Decodes one stream; holds bytes that are not published yet.
struct StreamDecoder {
    /// An incomplete UTF-8 sequence.
    rest: Vec<u8>,
    mask: Mask,
}

impl<'a> OutputPublisher<'a> {
    fn new(events: &'a Events, installer: &'a Installer) -> Self {
        let piece = || StreamDecoder { rest: Vec::new(), mask: installer.secrets.mask() };
        Self { events, installer, seq: 0, published_bytes: 0, stdout: piece(), stderr: piece() }
    }

    /// Publishes chunks, merged where consecutive ones share a stream.
    fn publish(&mut self, read: &[OutputChunk]) {
        for chunks in read.chunk_by(|one, other| one.stream == other.stream) {
            let Some(first) = chunks.first() else { continue };
            let bytes: Vec<u8> = chunks.iter().flat_map(|chunk| &chunk.bytes).copied().collect();
            let (piece, stream) = match first.stream {
                OutputStream::Stdout => (&mut self.stdout, InstallStream::Stdout),
                OutputStream::Stderr => (&mut self.stderr, InstallStream::Stderr),
            };
            let text = piece.push(&bytes);
            self.publish_text(stream, text);
        }
    }

    fn finish(mut self) {
        let nothing = || StreamDecoder { rest: Vec::new(), mask: self.installer.secrets.mask() };
        let (stdout, stderr) = (nothing(), nothing());
        let stdout = std::mem::replace(&mut self.stdout, stdout).finish();
        let stderr = std::mem::replace(&mut self.stderr, stderr).finish();
        self.publish_text(InstallStream::Stdout, stdout);
        self.publish_text(InstallStream::Stderr, stderr);
    }

    fn publish_text(&mut self, stream: InstallStream, text: String) {
        if text.is_empty() || self.published_bytes > MAX_PUBLISHED_BYTES || self.seq > MAX_EVENTS {
            return;
        }
        self.seq += 1;
        self.published_bytes += text.len();
        let is_last = self.published_bytes > MAX_PUBLISHED_BYTES || self.seq > MAX_EVENTS;
        let text = if is_last { "\n… the rest of the output is not shown\n".to_owned() } else { text };
        let InstallTarget { name, skill_key, install_id } = self.installer.target.clone();
        let output = SkillsInstallOutput { name, skill_key, install_id, stream, text, seq: self.seq };
        self.events.publish(Event::SkillsInstallOutput, &output);
    }
}

impl StreamDecoder {
    /// Returns the text that is complete after these bytes.
    fn push(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() - incomplete_utf8_len(&self.rest);
        let text = String::from_utf8_lossy(&self.rest[..whole]).into_owned();
        self.rest.drain(..whole);
        self.mask.push(&text)
    }

    /// Returns the rest at the end of the stream.
    fn finish(mut self) -> String {
        let rest = String::from_utf8_lossy(&self.rest).into_owned();
        let mut text = self.mask.push(&rest);
        text.push_str(&self.mask.finish());
        text
    }
}

/// Number of trailing bytes that form an incomplete UTF-8 sequence.
fn incomplete_utf8_len(bytes: &[u8]) -> usize {
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
    fn command_runs_once_and_concurrency_is_limited() {
        let installs: Arc<Installs> = Arc::default();
        let begin = |name| begin(&installs, name);
        let first = begin("a").unwrap();
        assert_eq!(begin("a").unwrap_err(), InstallConflict::Running);
        let others = ["b", "c", "d"].map(|name| begin(name).unwrap());
        assert_eq!(begin("e").unwrap_err(), InstallConflict::TooMany);
        drop(first);
        drop(begin("a").unwrap());
        drop(others);
        assert!(installs.running().is_empty());
    }

    fn begin(installs: &Arc<Installs>, name: &str) -> Result<InstallSlot, InstallConflict> {
        let [name, skill_key, install_id] = [name, "key", "brew"].map(str::to_owned);
        let command = ["brew", "install", &name].map(str::to_owned);
        installs.begin(&command, &InstallTarget { name, skill_key, install_id })
    }

    #[tokio::test]
    async fn stop_records_first_requester_and_spares_others() {
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
    fn decoder_joins_split_utf8_and_masks_secrets() {
        let written = "zwölf 十二 🦀 sesame-street \u{1b}[1mdone".as_bytes();
        for size in 1..written.len() {
            let mut piece =
                StreamDecoder { rest: Vec::new(), mask: SecretMatcher::new(["sesame-street"]).mask() };
            let mut text: String = written.chunks(size).map(|bytes| piece.push(bytes)).collect();
            text.push_str(&piece.finish());
            assert_eq!(text, "zwölf 十二 🦀 [hidden] \u{1b}[1mdone", "in pieces of {size}");
        }
        let mut piece = StreamDecoder { rest: Vec::new(), mask: SecretMatcher::new([]).mask() };
        assert_eq!(piece.push(b"a\xFFb\xE5\x8D"), "a\u{FFFD}b");
        assert_eq!(piece.finish(), "\u{FFFD}");
    }
}
