//! The audit chain on disk: appending records and recovering from a crash.
//!
//! An append writes the line, syncs, and then updates the head, all under one lock between processes. So the head is
//! never ahead of the lines: valid lines after it are adopted, a torn line is truncated and kept in a separate file,
//! and a head beyond the last line means that lines were removed. The anchor follows the head.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::Value;
use tarsus_home::Home;
use tarsus_home::files::{self, Append, Durability, FileError, FileOperation, Locked, Reserve};

use crate::anchor::Anchor;
use crate::begin::{Anchoring, ChainState};
use crate::error::AuditError;
use crate::head::{self, Head};
use crate::line::{self, LineError, Link, MAX_LINE_BYTES};
use crate::month::Month;
use crate::read::{Lines, RecordFilter};
use crate::record::{AuditEntry, Recorded};
use crate::seal::Seal;
use crate::truncate::truncate_entry;
use crate::verify::{ChainEnd, ChainFault, FaultKind, FileStamps, LinePlace, Verification, is_torn};

pub(crate) const HEAD: &str = "head.json";
pub(crate) const KEY: &str = "key";
/// The ending of the files with unfinished lines.
pub(crate) const TORN: &str = ".torn";
/// Maximum number of files in the folder.
pub(crate) const MAX_FILES: usize = 10_000;

/// The chain of one state folder. Any number of threads and processes may record at once.
#[derive(Debug)]
pub struct Audit {
    pub(crate) folder: PathBuf,
    pub(crate) key_path: PathBuf,
    pub(crate) anchor: Option<Arc<dyn Anchor>>,
    reserve: Reserve,
    pending: Mutex<PendingNotes>,
    lost: AtomicU64,
    /// Whether the files of the months were found to follow one another.
    pub(crate) months_follow: AtomicBool,
    /// The last result of [`Audit::verify_if_changed`] and the files it is valid for.
    checked: Mutex<Option<(FileStamps, Verification)>>,
}

/// Losses that the next record reports in its detail.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct PendingNotes {
    lost: u64,
    torn: u64,
}

impl Audit {
    /// Opens the chain of `home`; the first record creates it. A chain with a fault can be opened, read and verified, but
    /// accepts no record. Without an anchor, the folder is checked by itself; the program always passes one.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn open(home: &Home, anchor: Option<Arc<dyn Anchor>>) -> Result<Self, AuditError> {
        let audit = Self::at(home, anchor);
        let locked = Locked::take(&audit.head_path())?;
        let mut pending = PendingNotes::default();
        let caught_up = match audit.state() {
            Ok(ChainState::Present { seal, anchor }) => {
                audit.catch_up(&locked, &seal, anchor.as_ref(), &mut pending).map(drop)
            }
            Ok(ChainState::Unadopted { key, anchor, is_empty: false }) => {
                audit.catch_up(&locked, &Seal::new(&key), anchor.as_ref(), &mut pending).map(drop)
            }
            found => found.map(drop),
        };
        match caught_up {
            // The first record meets these errors again and returns them to its caller.
            Err(AuditError::Tampered(_) | AuditError::Anchor(_)) => {}
            Err(error) if error.is_disk_full() => {}
            done => done?,
        }
        drop(locked);
        Ok(Self { pending: Mutex::new(pending), ..audit })
    }

    /// Opens the chain of `home` if it exists or something tells that it did; does not create one.
    ///
    /// # Errors
    /// As [`Audit::open`].
    pub fn open_existing(home: &Home, anchor: Option<Arc<dyn Anchor>>) -> Result<Option<Self>, AuditError> {
        let audit = Self::at(home, anchor);
        match audit.state() {
            Ok(ChainState::Absent | ChainState::Begun { .. }) => Ok(None),
            _ => Self::open(home, audit.anchor).map(Some),
        }
    }

    fn at(home: &Home, anchor: Option<Arc<dyn Anchor>>) -> Self {
        Self {
            folder: home.audit_dir(),
            key_path: home.audit_key_path(),
            anchor,
            reserve: Reserve::at(home.reserve_path()),
            pending: Mutex::default(),
            lost: AtomicU64::new(0),
            months_follow: AtomicBool::new(false),
            checked: Mutex::default(),
        }
    }

    /// Appends a record; durable on return. An action that cannot be recorded must not be permitted.
    ///
    /// # Errors
    /// When the chain has a fault or a file cannot be written; nothing is changed then.
    pub fn record(&self, entry: AuditEntry, now: Timestamp) -> Result<Recorded, AuditError> {
        self.append(&truncate_entry(entry), Anchoring::Required, now)
    }

    /// Appends a record of something that happens in any case (deny, abort, stop, kill, revoke). On a full disk the
    /// reserve is released. A record that is lost nevertheless is counted, and the next record reports it.
    pub fn record_best_effort(&self, entry: AuditEntry, now: Timestamp) -> Option<Recorded> {
        let entry = truncate_entry(entry);
        let recorded = self
            .reserve
            .spend_on(AuditError::is_disk_full, || self.append(&entry, Anchoring::BestEffort, now));
        let recorded = recorded.ok();
        if recorded.is_none() {
            self.lost.fetch_add(1, Ordering::Relaxed);
            self.pending().lost += 1;
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
    /// When the chain is missing in part, or the head file cannot be read or was changed.
    pub fn head(&self) -> Result<Head, AuditError> {
        let seal = match self.state()? {
            ChainState::Present { seal, .. } => seal,
            ChainState::Unadopted { key, is_empty: false, .. } => Seal::new(&key),
            _ => return Ok(Head::EMPTY),
        };
        self.read_head(&seal)?
            .map_err(|why| AuditError::Tampered(ChainFault::new(self.head_path(), None, why)))
    }

    fn append(
        &self,
        entry: &AuditEntry,
        anchoring: Anchoring,
        now: Timestamp,
    ) -> Result<Recorded, AuditError> {
        let mut pending = self.pending();
        let locked = Locked::take(&self.head_path())?;
        self.refuse_known_fault()?;
        let (seal, head) = self.writable_end(&locked, &mut pending, anchoring, now)?;
        let entry = with_pending_notes(entry.clone(), *pending);
        let end = self.write_line(&locked, &seal, head, &entry, now)?;
        // The record stands even so: an anchor that is behind is no fault, and the next record updates it first.
        let _ = self.save_anchor(&end, Durability::KillSafe);
        *pending = PendingNotes::default();
        Ok(Recorded { seq: end.seq, hash: end.hash })
    }

    /// Fails if the last verification found a fault and nothing changed since.
    fn refuse_known_fault(&self) -> Result<(), AuditError> {
        let Ok(last) = self.checked.try_lock() else { return Ok(()) };
        match &*last {
            Some((stamps, Verification { first_bad: Some(fault), .. })) if *stamps == self.stamps()? => {
                Err(AuditError::Tampered(fault.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Writes the line after `head`, and the new head. Durable on return; nothing is changed on an error.
    pub(crate) fn write_line(
        &self,
        locked: &Locked,
        seal: &Seal,
        head: Head,
        entry: &AuditEntry,
        now: Timestamp,
    ) -> Result<Head, AuditError> {
        // If the clock goes back, a later line must not go to an earlier file.
        let today = Month::from_timestamp(now);
        let month = head.month.map_or(today, |last| last.max(today));
        let seq = head.seq + 1;
        let (line, hash) = line::encode(seal, seq, now, entry, head.hash)?;
        let mut file = Append::open(&self.month_path(month))?;
        let start = file.append(&line)?;
        let end = Head { seq, hash, month: Some(month), bytes: start + line.len() as u64 };
        let done =
            file.sync().map_err(AuditError::from).and_then(|()| Ok(locked.replace_soon(&end.encode(seal)?)?));
        if let Err(error) = done {
            // If this fails as well, the valid line stays and the next record adopts it.
            let _ = file.cut(start);
            return Err(error);
        }
        Ok(end)
    }

    /// Returns the end of the chain, after adopting lines that a crash left beyond the head. It contains the anchored
    /// record.
    pub(crate) fn catch_up(
        &self,
        locked: &Locked,
        seal: &Seal,
        anchor: Option<&Head>,
        pending: &mut PendingNotes,
    ) -> Result<Head, AuditError> {
        let head = Self::parse_head(locked.read(head::MAX_BYTES)?.as_deref(), seal);
        let head = head.map_err(|why| AuditError::Tampered(ChainFault::new(self.head_path(), None, why)))?;
        let mut end = head;
        let months = self.months()?;
        if head.month.is_some_and(|month| !months.contains(&month)) {
            return Err(self.tampering_error()?);
        }
        for month in months.into_iter().filter(|month| Some(*month) >= head.month) {
            end = self.adopt(end, month, seal, pending)?;
        }
        if !anchor.map_or(Ok(true), |anchor| self.contains(&end, anchor, seal))? {
            return Err(self.tampering_error()?);
        }
        if end != head {
            locked.replace_soon(&end.encode(seal)?)?;
        }
        Ok(end)
    }

    /// True if the chain that ends at `end` has the anchored record.
    fn contains(&self, end: &Head, anchor: &Head, seal: &Seal) -> Result<bool, AuditError> {
        if anchor.seq >= end.seq {
            return Ok((anchor.seq, anchor.hash) == (end.seq, end.hash));
        }
        // The anchor is behind: its line still has to be where it was.
        let Some(month) = anchor.month else { return Ok(anchor.seq == 0) };
        let path = self.month_path(month);
        let failed = FileError::system(FileOperation::Read, &path);
        let Some(file) = files::open(&path)? else { return Ok(false) };
        let start = anchor.bytes.saturating_sub(MAX_LINE_BYTES as u64);
        let mut lines = Lines::starting_at(file, start).map_err(&failed)?;
        let mut position = start;
        while let Some(line) = lines.next().map_err(&failed)? {
            position += line.len() as u64;
            if position >= anchor.bytes {
                let link = line.strip_suffix(b"\n").map(|line| Link::parse(line, seal));
                let is_anchored = |link: Link| (link.seq, link.hash) == (anchor.seq, anchor.hash);
                return Ok(
                    position == anchor.bytes && matches!(link, Some(Ok(Some(link))) if is_anchored(link))
                );
            }
        }
        Ok(false)
    }

    fn adopt(
        &self,
        head: Head,
        month: Month,
        seal: &Seal,
        pending: &mut PendingNotes,
    ) -> Result<Head, AuditError> {
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
            let place = LinePlace { file: month, is_first: end.bytes == 0 };
            match (ChainEnd { seq: end.seq, hash: end.hash }).follow(line, place, seal) {
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
        let mut aside = Append::open(&self.folder.join(format!("{month}{TORN}")))?;
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

    pub(crate) fn pending(&self) -> MutexGuard<'_, PendingNotes> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn load_anchor(&self) -> Result<Option<Head>, AuditError> {
        let Some(anchor) = &self.anchor else { return Ok(None) };
        anchor.load().map_err(|problem| AuditError::Anchor(Box::new(problem)))
    }

    pub(crate) fn save_anchor(&self, head: &Head, durability: Durability) -> Result<(), AuditError> {
        let Some(anchor) = &self.anchor else { return Ok(()) };
        anchor.save(head, durability).map_err(|problem| AuditError::Anchor(Box::new(problem)))
    }

    /// The file with the anchor.
    pub(crate) fn anchor_path(&self) -> PathBuf {
        self.anchor.as_ref().map_or_else(|| self.folder.clone(), |anchor| anchor.path().to_path_buf())
    }

    /// The key of a chain of an earlier version.
    pub(crate) fn earlier_key_path(&self) -> PathBuf {
        self.folder.join(KEY)
    }

    /// The event of the last record.
    pub(crate) fn last_event(&self) -> Result<Option<String>, AuditError> {
        let last = self.tail(&RecordFilter { limit: Some(1), ..RecordFilter::default() })?;
        Ok(last.records.into_iter().next().map(|record| record.entry.event))
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
