//! The chain itself: where it lies, how a record is added, and how a crash is made good.
//!
//! Order of an append, all under one lock between processes: line, sync, head. So the head is never ahead
//! of the lines: valid lines after it are adopted, an unfinished one is cut off and kept aside, and a head
//! beyond the lines means that some were taken away.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::Value;
use tarsus_home::Home;
use tarsus_home::files::{self, Append, Doing, FileError, Locked, Reserve};

use crate::bound::bounded;
use crate::error::AuditError;
use crate::head::{self, Head};
use crate::line::{self, LineError};
use crate::month::Month;
use crate::read::Lines;
use crate::record::{Entry, Recorded};
use crate::seal::Seal;
use crate::verify::{Bad, End, Stamps, Verification, Why, is_torn};

const HEAD: &str = "head.json";
const KEY: &str = "key";
/// Nobody lives this many months.
const MOST_FILES: usize = 10_000;

/// The chain of one state folder. Any number of threads and processes may record at once.
#[derive(Debug)]
pub struct Audit {
    folder: PathBuf,
    seal: Seal,
    reserve: Reserve,
    unsaid: Mutex<Unsaid>,
    lost: AtomicU64,
    /// Whether there is a chain. Until then a missing head is no sign of tampering.
    begun: AtomicBool,
    /// What the last check for a report found, and in which version of the files.
    checked: Mutex<Option<(Stamps, Verification)>>,
}

/// What the next record has to mention.
#[derive(Debug, Default, Clone, Copy)]
struct Unsaid {
    lost: u64,
    torn: u64,
}

impl Audit {
    /// Opens the chain of `home`; the first record begins one when there is none. A chain that does not hold is
    /// opened too, so that it can be read and checked, but takes no record.
    ///
    /// # Errors
    /// When its key is missing, or a file cannot be read or written.
    pub fn open(home: &Home) -> Result<Self, AuditError> {
        let folder = home.audit_dir();
        let head = Locked::take(&folder.join(HEAD))?;
        let key_path = folder.join(KEY);
        let begun = head.read(head::MOST_BYTES)?.is_some() || !months(&folder)?.is_empty();
        if begun && files::open(&key_path)?.is_none() {
            return Err(AuditError::Tampered(Bad::new(key_path, None, Why::NoKey)));
        }
        let audit = Self {
            seal: Seal::new(&files::read_or_create_key(&key_path)?),
            folder,
            reserve: Reserve::at(home.reserve_path()),
            unsaid: Mutex::default(),
            lost: AtomicU64::new(0),
            begun: AtomicBool::new(begun),
            checked: Mutex::default(),
        };
        let mut unsaid = Unsaid::default();
        if begun {
            match audit.catch_up(&head, &mut unsaid) {
                Ok(_) => {}
                // Both are met again by the first record, which tells whoever wanted it.
                Err(AuditError::Tampered(_)) => {}
                Err(error) if error.is_disk_full() => {}
                Err(error) => return Err(error),
            }
        }
        drop(head);
        Ok(Self { unsaid: Mutex::new(unsaid), ..audit })
    }

    /// Opens the chain of `home` when there is one; begins none.
    ///
    /// # Errors
    /// As [`Audit::open`].
    pub fn open_existing(home: &Home) -> Result<Option<Self>, AuditError> {
        let folder = home.audit_dir();
        let begun = files::open(&folder.join(HEAD))?.is_some() || !months(&folder)?.is_empty();
        if begun { Self::open(home).map(Some) } else { Ok(None) }
    }

    /// Adds a record; on disk when this returns. What cannot be recorded must not be permitted.
    ///
    /// # Errors
    /// When the chain does not hold, or a file cannot be written; nothing is changed then.
    pub fn record(&self, entry: Entry, now: Timestamp) -> Result<Recorded, AuditError> {
        self.append(&bounded(entry), now)
    }

    /// Adds a record of something that happens in any case (deny, abort, stop, kill, revoke). On a full disk
    /// the reserve is given up for it; what is lost all the same is counted, and the next record says so.
    pub fn record_best_effort(&self, entry: Entry, now: Timestamp) -> Option<Recorded> {
        let entry = bounded(entry);
        let recorded = self.reserve.spend_on(AuditError::is_disk_full, || self.append(&entry, now)).ok();
        if recorded.is_none() {
            self.lost.fetch_add(1, Ordering::Relaxed);
            self.unsaid.lock().unwrap_or_else(PoisonError::into_inner).lost += 1;
        }
        recorded
    }

    /// How many records this process could not write.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Where the chain ends.
    ///
    /// # Errors
    /// When the head file cannot be read or was changed.
    pub fn head(&self) -> Result<Head, AuditError> {
        self.read_head()?.map_err(|why| AuditError::Tampered(Bad::new(self.head_path(), None, why)))
    }

    fn append(&self, entry: &Entry, now: Timestamp) -> Result<Recorded, AuditError> {
        let mut unsaid = self.unsaid.lock().unwrap_or_else(PoisonError::into_inner);
        let locked = Locked::take(&self.head_path())?;
        self.begin(&locked)?;
        let head = self.catch_up(&locked, &mut unsaid)?;
        // A clock that goes back must not bring a later line into an earlier file.
        let today = Month::of(now);
        let month = head.month.map_or(today, |last| last.max(today));
        let seq = head.seq + 1;
        let entry = with_unsaid(entry.clone(), *unsaid);
        let (line, hash) = line::write(&self.seal, seq, now, &entry, head.hash)?;
        let mut file = Append::open(&self.month_path(month))?;
        let start = file.append(&line)?;
        let end = Head { seq, hash, month: Some(month), bytes: start + line.len() as u64 };
        let done = file
            .sync()
            .map_err(AuditError::from)
            .and_then(|()| Ok(locked.replace_soon(&end.write(&self.seal)?)?));
        if let Err(error) = done {
            // If this fails as well the line stays, valid, and the next record adopts it.
            let _ = file.cut(start);
            return Err(error);
        }
        *unsaid = Unsaid::default();
        Ok(Recorded { seq, hash })
    }

    /// The first head, before the first line: a line that a crash leaves behind it is adopted.
    fn begin(&self, locked: &Locked) -> Result<(), AuditError> {
        if !self.begun.swap(true, Ordering::Relaxed)
            && self.is_empty(locked.read(head::MOST_BYTES)?.as_deref())?
        {
            let written = Head::EMPTY.write(&self.seal)?;
            locked.replace_soon(&written).inspect_err(|_| self.begun.store(false, Ordering::Relaxed))?;
        }
        Ok(())
    }

    /// Whether there is neither head nor line.
    fn is_empty(&self, head: Option<&[u8]>) -> Result<bool, FileError> {
        Ok(head.is_none() && self.months()?.is_empty())
    }

    /// The end of the chain, after adopting what a crash left behind the head.
    fn catch_up(&self, locked: &Locked, unsaid: &mut Unsaid) -> Result<Head, AuditError> {
        let head = self.parse_head(locked.read(head::MOST_BYTES)?.as_deref());
        let head = head.map_err(|why| AuditError::Tampered(Bad::new(self.head_path(), None, why)))?;
        let mut end = head;
        let months = self.months()?;
        if head.month.is_some_and(|month| !months.contains(&month)) {
            return Err(self.tampered()?);
        }
        for month in months.into_iter().filter(|month| Some(*month) >= head.month) {
            end = self.adopt(end, month, unsaid)?;
        }
        if end != head {
            locked.replace_soon(&end.write(&self.seal)?)?;
        }
        Ok(end)
    }

    fn adopt(&self, head: Head, month: Month, unsaid: &mut Unsaid) -> Result<Head, AuditError> {
        let path = self.month_path(month);
        let failed = FileError::system(Doing::Read, &path);
        let known = if head.month == Some(month) { head.bytes } else { 0 };
        let Some(file) = files::open(&path)? else { return Ok(head) };
        let length = file.metadata().map_err(&failed)?.len();
        if length == known {
            return Ok(head);
        }
        if length < known {
            return Err(self.tampered()?);
        }
        let mut lines = Lines::starting_at(file, known).map_err(&failed)?;
        let mut end = Head { month: Some(month), bytes: known, ..head };
        let mut adopted = head;
        while let Some(line) = lines.next().map_err(&failed)? {
            match (End { seq: end.seq, hash: end.hash }).follow(line, self) {
                Ok(next) => {
                    end.seq = next.seq;
                    end.hash = next.hash;
                    end.bytes += line.len() as u64;
                    adopted = end;
                }
                Err(_) if end.bytes + line.len() as u64 == length && is_torn(line) => {
                    self.cut_torn(month, line, end.bytes)?;
                    unsaid.torn += line.len() as u64;
                    break;
                }
                Err(_) => return Err(self.tampered()?),
            }
        }
        Ok(adopted)
    }

    /// Cuts an unfinished line off, after keeping its bytes in `YYYY-MM.torn`.
    fn cut_torn(&self, month: Month, line: &[u8], length: u64) -> Result<(), FileError> {
        let mut aside = Append::open(&self.folder.join(format!("{month}.torn")))?;
        aside.append(&[line, b"\n"].concat())?;
        aside.sync()?;
        Append::open(&self.month_path(month))?.cut(length)
    }

    /// The error that names the first line which does not hold.
    fn tampered(&self) -> Result<AuditError, AuditError> {
        let bad = self.verify()?.first_bad;
        // What follows the head is not a line, but whole up to there: only the head can be named.
        let bad = bad.unwrap_or_else(|| Bad::new(self.head_path(), None, Why::HeadChanged));
        Ok(AuditError::Tampered(bad))
    }

    pub(crate) fn unreadable(&self, month: Month, line: u64, why: LineError) -> AuditError {
        AuditError::Tampered(Bad::new(self.month_path(month), Some(line), Why::NotALine(why)))
    }

    /// The head as it is, or what is wrong with it.
    pub(crate) fn read_head(&self) -> Result<Result<Head, Why>, FileError> {
        let bytes = files::read(&self.head_path(), head::MOST_BYTES)?;
        if !self.begun.load(Ordering::Relaxed) && self.is_empty(bytes.as_deref())? {
            return Ok(Ok(Head::EMPTY));
        }
        Ok(self.parse_head(bytes.as_deref()))
    }

    fn parse_head(&self, bytes: Option<&[u8]>) -> Result<Head, Why> {
        Head::read(bytes.ok_or(Why::NoHead)?, &self.seal).ok_or(Why::HeadChanged)
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

    pub(crate) fn last_check(&self) -> MutexGuard<'_, Option<(Stamps, Verification)>> {
        // A holder that panicked has left a whole value behind.
        self.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn months(&self) -> Result<Vec<Month>, FileError> {
        months(&self.folder)
    }
}

/// The months that have a file, earliest first.
fn months(folder: &std::path::Path) -> Result<Vec<Month>, FileError> {
    let names = files::list_names(folder, MOST_FILES)?;
    Ok(names.iter().filter_map(|name| Month::from_file_name(name)).collect())
}

fn with_unsaid(mut entry: Entry, unsaid: Unsaid) -> Entry {
    for (name, count) in [("lostBefore", unsaid.lost), ("tornBefore", unsaid.torn)] {
        if count > 0 {
            entry.detail.insert(name.to_owned(), Value::from(count));
        }
    }
    entry
}
