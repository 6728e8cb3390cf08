//! Verifies the whole chain, line by line, and reports the first fault.
//!
//! Reads only, takes no lock and streams, so that a chain of any length can be verified while it grows.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use tarsus_home::files::{self, FileError, FileOperation};

use crate::begin::ChainState;
use crate::chain::Audit;
use crate::error::AuditError;
use crate::head::Head;
use crate::line::{LineError, Link, MAX_LINE_BYTES};
use crate::month::Month;
use crate::read::Lines;
use crate::seal::{Hash, Seal};

/// The result of verifying the whole chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// Valid lines.
    pub lines: u64,
    /// Files read.
    pub files: u64,
    /// The recorded end of the chain; `None` if the head file is missing or changed.
    pub head: Option<Head>,
    /// Bytes of an unfinished line after the head; the next record moves it to another file.
    pub torn: u64,
    /// The number of the record that the store has as the newest; `None` before the first.
    pub anchor: Option<u64>,
    /// Whether the key is of an earlier version and no chain is there: nothing tells whether it had records.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_earlier_key: bool,
    /// The first fault.
    pub first_bad: Option<ChainFault>,
}

/// A fault and its position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, thiserror::Error)]
#[schemars(rename = "Bad")]
#[error("{}: {why}", display_location(path, *line))]
pub struct ChainFault {
    #[serde(serialize_with = "serialize_path")]
    pub path: PathBuf,
    /// The line, from 1, if the fault is in one.
    pub line: Option<u64>,
    pub why: String,
}

fn display_location(path: &Path, line: Option<u64>) -> String {
    let path = path.display();
    line.map_or_else(|| path.to_string(), |line| format!("{path}:{line}"))
}

/// Serialises a path that may not be Unicode.
pub(crate) fn serialize_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

impl ChainFault {
    pub(crate) fn new(path: PathBuf, line: Option<u64>, why: FaultKind) -> Self {
        Self { path, line, why: why.to_string() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    NotALine(LineError),
    Changed,
    OutOfOrder { expected: u64, found: u64 },
    Unlinked,
    Unfinished,
    CutOff { head: u64, end: u64 },
    OtherHead,
    NoHead,
    HeadChanged,
    NoKey,
    NotAKey,
    WrongMonth { line: Month },
    NoChain { anchor: u64 },
    NoAnchor,
    Shorter { anchor: u64, end: u64 },
    OtherChain { anchor: u64 },
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotALine(error) => error.fmt(f),
            Self::Changed => f.write_str("the line was changed, or sealed with another key"),
            Self::OutOfOrder { expected, found } => {
                write!(f, "lines are missing or out of order: expected number {expected}, found {found}")
            }
            Self::Unlinked => f.write_str("the line does not continue the previous one"),
            Self::Unfinished => f.write_str("the line is incomplete"),
            Self::CutOff { head, end } => {
                write!(
                    f,
                    "lines are missing at the end: the chain ends at number {end}, the head file says {head}"
                )
            }
            Self::OtherHead => f.write_str("the head file has another hash for this line"),
            Self::NoHead => f.write_str("the head file is missing"),
            Self::HeadChanged => f.write_str("the head file was changed, or sealed with another key"),
            Self::NoKey => f.write_str("the key file is missing"),
            Self::NotAKey => f.write_str("the key file was changed"),
            Self::WrongMonth { line } => {
                write!(f, "the line is of {line}: the file was renamed, or the line was moved")
            }
            Self::NoChain { anchor } => {
                write!(f, "the files of the audit log were removed; the store has seen record {anchor}")
            }
            Self::NoAnchor => f.write_str(
                "the store has no anchor of the audit log: it was removed, or the store was replaced",
            ),
            Self::Shorter { anchor, end } => {
                write!(
                    f,
                    "records were removed: the audit log ends at {end}, the store has seen record {anchor}"
                )
            }
            Self::OtherChain { anchor } => {
                write!(
                    f,
                    "the audit log was replaced: record {anchor} is not the one that the store has seen"
                )
            }
        }
    }
}

/// Path, length and modification time of the files, and the anchor: identifies a version of the chain without reading it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FileStamps {
    files: Vec<(PathBuf, u64, Option<SystemTime>)>,
    anchor: Option<Head>,
}

/// The end of the verified part of the chain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChainEnd {
    pub(crate) seq: u64,
    pub(crate) hash: Hash,
}

impl ChainEnd {
    /// Verifies the next line (with line end) and returns the new end.
    pub(crate) fn follow(self, line: &[u8], place: LinePlace, seal: &Seal) -> Result<Self, FaultKind> {
        let Some(line) = line.strip_suffix(b"\n") else {
            let too_long = line.len() >= MAX_LINE_BYTES;
            return Err(if too_long {
                FaultKind::NotALine(LineError::TooLong)
            } else {
                FaultKind::Unfinished
            });
        };
        let link = Link::parse(line, seal).map_err(FaultKind::NotALine)?.ok_or(FaultKind::Changed)?;
        let expected = self.seq.saturating_add(1);
        if link.seq != expected {
            return Err(FaultKind::OutOfOrder { expected, found: link.seq });
        }
        if link.prev != self.hash {
            return Err(FaultKind::Unlinked);
        }
        if !place.fits(link.month) {
            return Err(FaultKind::WrongMonth { line: link.month });
        }
        Ok(Self { seq: link.seq, hash: link.hash })
    }
}

/// Where a line stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinePlace {
    pub(crate) file: Month,
    pub(crate) is_first: bool,
}

impl LinePlace {
    /// A line begins the file of its month. Later ones are older only if the clock went back.
    fn fits(self, line: Month) -> bool {
        if self.is_first { line == self.file } else { line <= self.file }
    }
}

/// True if the last line of a file looks torn by a crash: no line end, or NUL bytes after a power cut.
pub(crate) fn is_torn(last: &[u8]) -> bool {
    last.len() < MAX_LINE_BYTES && (!last.ends_with(b"\n") || last.contains(&0))
}

impl Audit {
    /// Verifies every line.
    ///
    /// # Errors
    /// When a file cannot be read; a fault of the chain is part of the result.
    pub fn verify(&self) -> Result<Verification, AuditError> {
        let found = self.verify_once()?;
        if found.first_bad.is_none() {
            return Ok(found);
        }
        // A chain that began meanwhile looks incomplete.
        self.verify_once()
    }

    fn verify_once(&self) -> Result<Verification, AuditError> {
        let mut result = Verification::default();
        let (seal, anchor) = match self.state() {
            Ok(ChainState::Absent | ChainState::Begun { .. }) => {
                return Ok(Verification { head: Some(Head::EMPTY), ..result });
            }
            Ok(ChainState::Unadopted { is_empty: true, .. }) => {
                return Ok(Verification { head: Some(Head::EMPTY), only_earlier_key: true, ..result });
            }
            Ok(ChainState::Unadopted { key, anchor, is_empty: false }) => (Seal::new(&key), anchor),
            Ok(ChainState::Present { seal, anchor }) => (seal, anchor),
            Err(AuditError::Tampered(fault)) => {
                return Ok(Verification { first_bad: Some(fault), ..result });
            }
            Err(error) => return Err(error),
        };
        result.anchor = anchor.map(|anchor| anchor.seq);
        let head = self.read_head(&seal)?;
        result.head = head.as_ref().ok().copied();
        if let Some(bad) = self.verify_lines(&mut result, &seal, anchor.as_ref())? {
            result.first_bad = Some(bad);
        } else if let Err(why) = head {
            result.first_bad = Some(ChainFault::new(self.head_path(), None, why));
        }
        Ok(result)
    }

    /// Like [`Audit::verify`], but returns the last result if no file of the chain changed since. For frequent reports.
    ///
    /// # Errors
    /// As [`Audit::verify`].
    pub fn verify_if_changed(&self) -> Result<Verification, AuditError> {
        // Held during verification, so that concurrent callers share one result.
        let mut last = self.last_check();
        // Taken before verification, so that a line written meanwhile causes another one.
        let stamps = self.stamps()?;
        match &*last {
            Some((of, result)) if *of == stamps => Ok(result.clone()),
            _ => {
                let result = self.verify()?;
                *last = Some((stamps, result.clone()));
                Ok(result)
            }
        }
    }

    pub(crate) fn stamps(&self) -> Result<FileStamps, AuditError> {
        let anchor = self.load_anchor()?;
        let months = self.months()?.into_iter().map(|month| self.month_path(month));
        let mut stamps = Vec::new();
        for path in months.chain([self.head_path(), self.key_path.clone(), self.earlier_key_path()]) {
            let Some(file) = files::open(&path)? else { continue };
            let found = file.metadata().map_err(FileError::system(FileOperation::Read, &path))?;
            stamps.push((path, found.len(), found.modified().ok()));
        }
        Ok(FileStamps { files: stamps, anchor })
    }

    /// Checks once that the files of the months follow one another: what a removed or renamed month breaks. Reads two
    /// lines of each.
    pub(crate) fn check_months(&self, seal: &Seal) -> Result<(), AuditError> {
        if self.months_follow.load(Ordering::Relaxed) {
            return Ok(());
        }
        if !self.months_follow_each_other(seal)?
            && let Some(fault) = self.verify()?.first_bad
        {
            return Err(AuditError::Tampered(fault));
        }
        self.months_follow.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn months_follow_each_other(&self, seal: &Seal) -> Result<bool, AuditError> {
        let mut end = ChainEnd { seq: 0, hash: Hash::NONE };
        for month in self.months()? {
            let path = self.month_path(month);
            let failed = FileError::system(FileOperation::Read, &path);
            let Some(file) = files::open(&path)? else { return Ok(false) };
            let length = file.metadata().map_err(&failed)?.len();
            let mut lines = Lines::new(file.try_clone().map_err(&failed)?);
            let place = LinePlace { file: month, is_first: true };
            let follows =
                lines.next().map_err(&failed)?.is_some_and(|line| end.follow(line, place, seal).is_ok());
            if !follows {
                return Ok(false);
            }
            let mut lines =
                Lines::starting_at(file, length.saturating_sub(MAX_LINE_BYTES as u64)).map_err(&failed)?;
            let mut last = None;
            while let Some(line) = lines.next().map_err(&failed)? {
                last = line.strip_suffix(b"\n").and_then(|line| Link::parse(line, seal).ok().flatten());
            }
            let Some(last) = last else { return Ok(false) };
            end = ChainEnd { seq: last.seq, hash: last.hash };
        }
        Ok(true)
    }

    fn verify_lines(
        &self,
        result: &mut Verification,
        seal: &Seal,
        anchor: Option<&Head>,
    ) -> Result<Option<ChainFault>, AuditError> {
        let head = result.head.unwrap_or(Head::EMPTY);
        let mut end = ChainEnd { seq: 0, hash: Hash::NONE };
        let mut cut_off_at = None;
        for month in self.months()? {
            let path = self.month_path(month);
            let Some(file) = files::open(&path)? else { continue };
            let length = file.metadata().map_err(FileError::system(FileOperation::Read, &path))?.len();
            let mut lines = Lines::new(file);
            let mut read = 0;
            result.files += 1;
            while let Some(line) = lines.next().map_err(FileError::system(FileOperation::Read, &path))? {
                let is_first = read == 0;
                read += line.len() as u64;
                match end.follow(line, LinePlace { file: month, is_first }, seal) {
                    Ok(next) => end = next,
                    // Lines beyond the head are not acknowledged yet; a writer may be at work.
                    Err(_) if end.seq >= head.seq && read >= length && is_torn(line) => {
                        result.torn = line.len() as u64;
                        break;
                    }
                    Err(why) => return Ok(Some(ChainFault::new(path, Some(lines.number), why))),
                }
                result.lines += 1;
                if end.seq == head.seq && end.hash != head.hash {
                    return Ok(Some(ChainFault::new(path, Some(lines.number), FaultKind::OtherHead)));
                }
                if let Some(anchor) = anchor.filter(|at| end.seq == at.seq && end.hash != at.hash) {
                    let why = FaultKind::OtherChain { anchor: anchor.seq };
                    return Ok(Some(ChainFault::new(path, Some(lines.number), why)));
                }
            }
            if head.month == Some(month) {
                cut_off_at = Some(lines.number);
            }
        }
        if end.seq < head.seq {
            let path = head.month.map_or_else(|| self.head_path(), |month| self.month_path(month));
            let why = FaultKind::CutOff { head: head.seq, end: end.seq };
            return Ok(Some(ChainFault::new(path, cut_off_at, why)));
        }
        if let Some(anchor) = anchor.filter(|anchor| end.seq < anchor.seq) {
            let why = FaultKind::Shorter { anchor: anchor.seq, end: end.seq };
            return Ok(Some(ChainFault::new(self.folder.clone(), None, why)));
        }
        Ok(None)
    }
}
