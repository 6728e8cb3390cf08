//! Who runs this state folder: whoever holds the lock on `tarsus/runtime.lock`.
//!
//! Promises: one holder at a time, freed by the system when the holder dies; what it says about itself lies
//! in `runtime.json` beside it, because a locked file cannot be read on Windows, and counts only while the
//! lock is held. Children do not inherit the lock.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsus_protocol::{ErrorCode, Problem};

use crate::Home;
use crate::files::{self, FileError, Lock, Locked};

const MOST_BYTES: u64 = 4096;
/// Another process that only asks who holds the lock holds it itself for a moment.
const TRIES: u32 = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// The process that holds the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// When that process started, in the system's own unit, where it tells: with the number it names the process for
    /// good, whoever else has that number in a container that shares the folder.
    #[serde(default)]
    pub start: Option<u64>,
    /// The start of the machine that the process id belongs to.
    pub boot_id: String,
    /// Where its gateway listens, once it does.
    pub port: Option<u16>,
    /// When it took the lock.
    pub started_at: Timestamp,
}

/// The lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum NotTaken {
    /// Another process has it; `None` while that one has not said who it is.
    #[error("this state folder is already run by {}", name(holder.as_ref()))]
    Held {
        /// Who has it.
        holder: Option<Holder>,
    },
    /// A file failed.
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<NotTaken> for Problem {
    fn from(error: NotTaken) -> Self {
        let message = error.to_string();
        match error {
            NotTaken::Held { .. } => Self::new(ErrorCode::Busy, message)
                .hint("use that one (`tarsus status` shows it), or stop it first"),
            NotTaken::File(error) => error.into(),
        }
    }
}

fn name(holder: Option<&Holder>) -> String {
    match holder {
        Some(Holder { pid, port: Some(port), .. }) => format!("process {pid}, on port {port}"),
        Some(Holder { pid, port: None, .. }) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}

/// The held lock. Dropping it clears what it says and frees it.
#[derive(Debug)]
pub struct RuntimeLock {
    file: Locked,
    holder: Holder,
}

impl RuntimeLock {
    /// Takes the lock and says who has it.
    ///
    /// # Errors
    /// `Held` with the one that is there, or what a file says.
    pub fn take(home: &Home, holder: Holder) -> Result<Self, NotTaken> {
        for tries_left in (0..TRIES).rev() {
            if let Some(lock) = Lock::try_take(&home.runtime_lock_path())? {
                let taken = Self { file: Locked::under(lock, &contents(home))?, holder };
                taken.say()?;
                return Ok(taken);
            }
            if tries_left > 0 {
                sleep(BETWEEN_TRIES);
            }
        }
        Err(NotTaken::Held { holder: said(home)? })
    }

    /// Says where the gateway listens.
    ///
    /// # Errors
    /// When that cannot be written; the lock is still held.
    pub fn set_port(&mut self, port: u16) -> Result<(), FileError> {
        self.holder.port = Some(port);
        self.say()
    }

    /// Who holds it: this process.
    #[must_use]
    pub fn holder(&self) -> &Holder {
        &self.holder
    }

    fn say(&self) -> Result<(), FileError> {
        let bytes = serde_json::to_vec(&self.holder)
            .map_err(|error| FileError::system(files::Doing::Write, self.file.path())(error.into()))?;
        // It counts only while this process lives, so that no disk need keep it.
        self.file.replace_for_now(&bytes)
    }
}

impl Drop for RuntimeLock {
    fn drop(&mut self) {
        // What stays behind on a failure says nothing: nobody holds the lock any more.
        let _ = self.file.remove();
    }
}

/// Who holds the lock now; `None` when it is free, whatever an earlier holder left behind.
///
/// # Errors
/// When a file cannot be read.
pub fn holder(home: &Home) -> Result<Option<Holder>, FileError> {
    // Asked first, so that the lock is touched only where somebody runs or was killed.
    let Some(holder) = said(home)? else {
        return Ok(None);
    };
    match Lock::try_take(&home.runtime_lock_path())? {
        Some(_free) => Ok(None),
        None => Ok(Some(holder)),
    }
}

fn contents(home: &Home) -> PathBuf {
    home.runtime_lock_path().with_extension("json")
}

/// What the last holder said; `None` when it is nothing that can be understood.
fn said(home: &Home) -> Result<Option<Holder>, FileError> {
    let bytes = files::read(&contents(home), MOST_BYTES)?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}
