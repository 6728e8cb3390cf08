//! The audit chain on disk: appending records and recovering from a crash.
//!
//! An append writes the line, syncs, and then updates the head, all under one lock between processes. So the head is
//! never ahead of the lines: valid lines after it are adopted, a torn line is truncated and kept in a separate file,
//! and a head beyond the last line means that lines were removed.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::Value;
use tarsus_home::Home;
use tarsus_home::files::{self, Append, FileError, FileOperation, Locked, Reserve};

use crate::error::AuditError;
use crate::head::{self, Head};
use crate::line::{self, LineError};
use crate::month::Month;
use crate::read::Lines;
use crate::record::{AuditEntry, Recorded};
use crate::seal::Seal;
use crate::truncate::truncate_entry;
use crate::verify::{ChainEnd, ChainFault, FaultKind, FileStamps, Verification, is_torn};

const HEAD: &str = "head.json";
const KEY: &str = "key";
/// Maximum number of files in the folder.
const MAX_FILES: usize = 10_000;

/// The chain of one state folder. Any number of threads and processes may record at once.
#[derive(Debug)]
pub struct Audit {
    folder: PathBuf,
    seal: Seal,
    reserve: Reserve,
    pending: Mutex<PendingNotes>,
    lost: AtomicU64,
    /// False until a chain exists: then a missing head is not tampering.
    begun: AtomicBool,
    /// The last result of [`Audit::verify_if_changed`] and the files it is valid for.
    checked: Mutex<Option<(FileStamps, Verification)>>,
}

/// Losses that the next record reports in its detail.
#[derive(Debug, Default, Clone, Copy)]
struct PendingNotes {
    lost: u64,
    torn: u64,
}

impl Audit {
    /// Opens the chain of `home`; the first record creates it. A chain with a fault can be opened, read and verified, but
    /// accepts no record.
    ///
    /// # Errors
    /// When its key is missing, or a file cannot be read or written.
    pub fn open(home: &Home) -> Result<Self, AuditError> {
        let folder = home.audit_dir();
        let head = Locked::take(&folder.join(HEAD))?;
        let key_path = folder.join(KEY);
        let begun = head.read(head::MAX_BYTES)?.is_some() || !months(&folder)?.is_empty();
        if begun && files::open(&key_path)?.is_none() {
            return Err(AuditError::Tampered(ChainFault::new(key_path, None, FaultKind::NoKey)));
        }
        let audit = Self {
            seal: Seal::new(&files::read_or_create_key(&key_path)?),
            folder,
            reserve: Reserve::at(home.reserve_path()),
            pending: Mutex::default(),
            lost: AtomicU64::new(0),
            begun: AtomicBool::new(begun),
            checked: Mutex::default(),
        };
        let mut pending = PendingNotes::default();
        if begun {
            match audit.catch_up(&head, &mut pending) {
                Ok(_) => {}
                // The first record meets both errors again and returns them to its caller.
                Err(AuditError::Tampered(_)) => {}
                Err(error) if error.is_disk_full() => {}
                Err(error) => return Err(error),
            }
        }
        drop(head);
        Ok(Self { pending: Mutex::new(pending), ..audit })
    }

    /// Opens the chain of `home` if it exists; does not create one.
    ///
    /// # Errors
    /// As [`Audit::open`].
    pub fn open_existing(home: &Home) -> Result<Option<Self>, AuditError> {
        let folder = home.audit_dir();
        let begun = files::open(&folder.join(HEAD))?.is_some() || !months(&folder)?.is_empty();
        if begun { Self::open(home).map(Some) } else { Ok(None) }
    }

    /// Appends a record; durable on return. An action that cannot be recorded must not be permitted.
    ///
    /// # Errors
    /// When the chain has a fault or a file cannot be written; nothing is changed then.
    pub fn record(&self, entry: AuditEntry, now: Timestamp) -> Result<Recorded, AuditError> {
        self.append(&truncate_entry(entry), now)
    }

    /// Appends a record of something that happens in any case (deny, abort, stop, kill, revoke). On a full disk the
    /// reserve is released. A record that is lost nevertheless is counted, and the next record reports it.
    pub fn record_best_effort(&self, entry: AuditEntry, now: Timestamp) -> Option<Recorded> {
        let entry = truncate_entry(entry);
        let recorded = self.reserve.spend_on(AuditError::is_disk_full, || self.append(&entry, now)).ok();
        if recorded.is_none() {
            self.lost.fetch_add(1, Ordering::Relaxed);
            self.pending.lock().unwrap_or_else(PoisonError::into_inner).lost += 1;
        }
        recorded
    }

    /// Returns the number of records that this process could not write.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Returns the end of the chain.
    ///
    /// # Errors
    /// When the head file cannot be read or was changed.
    pub fn head(&self) -> Result<Head, AuditError> {
        self.read_head()?.map_err(|why| AuditError::Tampered(ChainFault::new(self.head_path(), None, why)))
    }

    fn append(&self, entry: &AuditEntry, now: Timestamp) -> Result<Recorded, AuditError> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let locked = Locked::take(&self.head_path())?;
        self.write_first_head(&locked)?;
        let head = self.catch_up(&locked, &mut pending)?;
        // If the clock goes back, a later line must not go to an earlier file.
        let today = Month::from_timestamp(now);
        let month = head.month.map_or(today, |last| last.max(today));
        let seq = head.seq + 1;
        let entry = with_pending_notes(entry.clone(), *pending);
        let (line, hash) = line::encode(&self.seal, seq, now, &entry, head.hash)?;
        let mut file = Append::open(&self.month_path(month))?;
        let start = file.append(&line)?;
        let end = Head { seq, hash, month: Some(month), bytes: start + line.len() as u64 };
        let done = file
            .sync()
            .map_err(AuditError::from)
            .and_then(|()| Ok(locked.replace_soon(&end.encode(&self.seal)?)?));
        if let Err(error) = done {
            // If this fails as well, the valid line stays and the next record adopts it.
            let _ = file.cut(start);
            return Err(error);
        }
        *pending = PendingNotes::default();
        Ok(Recorded { seq, hash })
    }

    /// Writes the head of an empty chain before the first line, so that a line without an updated head is adopted.
    fn write_first_head(&self, locked: &Locked) -> Result<(), AuditError> {
        if !self.begun.swap(true, Ordering::Relaxed)
            && self.is_empty(locked.read(head::MAX_BYTES)?.as_deref())?
        {
            let written = Head::EMPTY.encode(&self.seal)?;
            locked.replace_soon(&written).inspect_err(|_| self.begun.store(false, Ordering::Relaxed))?;
        }
        Ok(())
    }

    fn is_empty(&self, head: Option<&[u8]>) -> Result<bool, FileError> {
        Ok(head.is_none() && self.months()?.is_empty())
    }

    /// Returns the end of the chain, after adopting lines that a crash left beyond the head.
    fn catch_up(&self, locked: &Locked, pending: &mut PendingNotes) -> Result<Head, AuditError> {
        let head = self.parse_head(locked.read(head::MAX_BYTES)?.as_deref());
        let head = head.map_err(|why| AuditError::Tampered(ChainFault::new(self.head_path(), None, why)))?;
        let mut end = head;
        let months = self.months()?;
        if head.month.is_some_and(|month| !months.contains(&month)) {
            return Err(self.tampering_error()?);
        }
        for month in months.into_iter().filter(|month| Some(*month) >= head.month) {
            end = self.adopt(end, month, pending)?;
        }
        if end != head {
            locked.replace_soon(&end.encode(&self.seal)?)?;
        }
        Ok(end)
    }

    fn adopt(&self, head: Head, month: Month, pending: &mut PendingNotes) -> Result<Head, AuditError> {
        let path = self.month_path(month);
        let failed = FileError::system(FileOperation::Read, &path);
        let known = if head.month == Some(month) { head.bytes } else { 0 };
        let Some(file) = files::open(&path)? else { return Ok(head) };
        let length = file.metadata().map_err(&failed)?.len();
        if length == known {
            return Ok(head);
        }
        if length < known {
            return Err(self.tampering_error()?);
        }
        let mut lines = Lines::starting_at(file, known).map_err(&failed)?;
        let mut end = Head { month: Some(month), bytes: known, ..head };
        let mut adopted = head;
        while let Some(line) = lines.next().map_err(&failed)? {
            match (ChainEnd { seq: end.seq, hash: end.hash }).follow(line, self) {
                Ok(next) => {
                    end.seq = next.seq;
                    end.hash = next.hash;
                    end.bytes += line.len() as u64;
                    adopted = end;
                }
                Err(_) if end.bytes + line.len() as u64 == length && is_torn(line) => {
                    self.cut_torn(month, line, end.bytes)?;
                    pending.torn += line.len() as u64;
                    break;
                }
                Err(_) => return Err(self.tampering_error()?),
            }
        }
        Ok(adopted)
    }

    /// Truncates a torn line, after saving its bytes in `YYYY-MM.torn`.
    fn cut_torn(&self, month: Month, line: &[u8], length: u64) -> Result<(), FileError> {
        let mut aside = Append::open(&self.folder.join(format!("{month}.torn")))?;
        aside.append(&[line, b"\n"].concat())?;
        aside.sync()?;
        Append::open(&self.month_path(month))?.cut(length)
    }

    /// Returns the error with the first fault of the chain.
    fn tampering_error(&self) -> Result<AuditError, AuditError> {
        let bad = self.verify()?.first_bad;
        // All lines up to the head are valid: report the head itself.
        let bad = bad.unwrap_or_else(|| ChainFault::new(self.head_path(), None, FaultKind::HeadChanged));
        Ok(AuditError::Tampered(bad))
    }

    pub(crate) fn unreadable_line(&self, month: Month, line: u64, why: LineError) -> AuditError {
        AuditError::Tampered(ChainFault::new(self.month_path(month), Some(line), FaultKind::NotALine(why)))
    }

    /// Reads the head; the inner error is a fault of the head.
    pub(crate) fn read_head(&self) -> Result<Result<Head, FaultKind>, FileError> {
        let bytes = files::read(&self.head_path(), head::MAX_BYTES)?;
        if !self.begun.load(Ordering::Relaxed) && self.is_empty(bytes.as_deref())? {
            return Ok(Ok(Head::EMPTY));
        }
        Ok(self.parse_head(bytes.as_deref()))
    }

    fn parse_head(&self, bytes: Option<&[u8]>) -> Result<Head, FaultKind> {
        Head::parse(bytes.ok_or(FaultKind::NoHead)?, &self.seal).ok_or(FaultKind::HeadChanged)
    }

    pub(crate) fn seal(&self) -> &Seal {
        &self.seal
    }

    pub(crate) fn head_path(&self) -> PathBuf {
        self.folder.join(HEAD)
    }

    pub(crate) fn month_path(&self, month: Month) -> PathBuf {
        self.folder.join(month.file_name())
    }

    pub(crate) fn last_check(&self) -> MutexGuard<'_, Option<(FileStamps, Verification)>> {
        // The value is replaced as a whole, so it is valid after a panic.
        self.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn months(&self) -> Result<Vec<Month>, FileError> {
        months(&self.folder)
    }
}

/// Lists the months that have a file, earliest first.
fn months(folder: &std::path::Path) -> Result<Vec<Month>, FileError> {
    let names = files::list_names(folder, MAX_FILES)?;
    Ok(names.iter().filter_map(|name| Month::from_file_name(name)).collect())
}

fn with_pending_notes(mut entry: AuditEntry, pending: PendingNotes) -> AuditEntry {
    for (name, count) in [("lostBefore", pending.lost), ("tornBefore", pending.torn)] {
        if count > 0 {
            entry.detail.insert(name.to_owned(), Value::from(count));
        }
    }
    entry
}
