//! The lock of the one process that runs a state folder, on `tarsus/runtime.lock`.
//!
//! The system releases it when the holder dies; child processes do not inherit it. The holder describes itself in
//! `runtime.json`, because a locked file cannot be read on Windows; that file is valid only while the lock is held.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsus_protocol::{ErrorCode, Problem};

use crate::Home;
use crate::files::{self, FileError, Lock, Locked};

const MAX_BYTES: u64 = 4096;
/// [`holder`] takes the lock for a moment, so a first failure does not mean that it is held.
const TRIES: u32 = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// The process that holds the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// Start time of the process in system units, if known. Together with the process id it identifies the process, even
    /// if another container that shares the folder reuses the id.
    #[serde(default)]
    pub start: Option<u64>,
    /// Boot of the machine that the process id belongs to.
    pub boot_id: String,
    /// Port of its gateway, once it listens.
    pub port: Option<u16>,
    /// Time at which it acquired the lock.
    pub started_at: Timestamp,
}

#[derive(Debug, thiserror::Error)]
pub enum NotTaken {
    /// Another process holds it; `None` until that process has described itself.
    #[error("this state folder is in use by {}", describe(holder.as_ref()))]
    Held {
        /// The other process.
        holder: Option<Holder>,
    },
    /// Access to a file failed.
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

fn describe(holder: Option<&Holder>) -> String {
    match holder {
        Some(Holder { pid, port: Some(port), .. }) => format!("process {pid}, on port {port}"),
        Some(Holder { pid, port: None, .. }) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}

/// The held lock. Dropping it removes `runtime.json` and releases the lock.
#[derive(Debug)]
pub struct RuntimeLock {
    file: Locked,
    holder: Holder,
}

impl RuntimeLock {
    /// Acquires the lock and writes the description of the holder.
    ///
    /// # Errors
    /// `Held` with the current holder, or a file error.
    pub fn take(home: &Home, holder: Holder) -> Result<Self, NotTaken> {
        for tries_left in (0..TRIES).rev() {
            if let Some(lock) = Lock::try_take(&home.runtime_lock_path())? {
                let taken = Self { file: Locked::under(lock, &holder_path(home))?, holder };
                taken.write_holder()?;
                return Ok(taken);
            }
            if tries_left > 0 {
                sleep(BETWEEN_TRIES);
            }
        }
        Err(NotTaken::Held { holder: read_holder(home)? })
    }

    /// Publishes the port of the gateway.
    ///
    /// # Errors
    /// When it cannot be written; the lock is still held.
    pub fn set_port(&mut self, port: u16) -> Result<(), FileError> {
        self.holder.port = Some(port);
        self.write_holder()
    }

    /// The description of this process.
    #[must_use]
    pub fn holder(&self) -> &Holder {
        &self.holder
    }

    fn write_holder(&self) -> Result<(), FileError> {
        let bytes = serde_json::to_vec(&self.holder).map_err(|error| {
            FileError::system(files::FileOperation::Write, self.file.path())(error.into())
        })?;
        // Valid only while this process lives, so it need not be durable.
        self.file.replace_unsynced(&bytes)
    }
}

impl Drop for RuntimeLock {
    fn drop(&mut self) {
        // A leftover is harmless: without a held lock it is ignored.
        let _ = self.file.remove();
    }
}

/// Returns the current holder of the lock; `None` if it is free.
///
/// # Errors
/// When a file cannot be read.
pub fn holder(home: &Home) -> Result<Option<Holder>, FileError> {
    // Read first, so that the lock is tried only if a process runs or was killed.
    let Some(holder) = read_holder(home)? else {
        return Ok(None);
    };
    match Lock::try_take(&home.runtime_lock_path())? {
        Some(_free) => Ok(None),
        None => Ok(Some(holder)),
    }
}

fn holder_path(home: &Home) -> PathBuf {
    home.runtime_lock_path().with_extension("json")
}

/// Reads the description of the last holder; `None` if it is missing or invalid.
fn read_holder(home: &Home) -> Result<Option<Holder>, FileError> {
    let bytes = files::read(&holder_path(home), MAX_BYTES)?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}
