//! Verifies the whole chain, line by line, and reports the first fault.
//!
//! Reads only, takes no lock and streams, so that a chain of any length can be verified while it grows.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use tarsus_home::files::{self, FileError, FileOperation};

use crate::chain::Audit;
use crate::error::AuditError;
use crate::head::Head;
use crate::line::{LineError, Link, MAX_LINE_BYTES};
use crate::read::Lines;
use crate::seal::Hash;

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
fn serialize_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
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
        }
    }
}

/// Path, length and modification time of the files: identifies a version of the chain without reading it.
pub(crate) type FileStamps = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// The end of the verified part of the chain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChainEnd {
    pub(crate) seq: u64,
    pub(crate) hash: Hash,
}

impl ChainEnd {
    /// Verifies the next line (with line end) and returns the new end.
    pub(crate) fn follow(self, line: &[u8], audit: &Audit) -> Result<Self, FaultKind> {
        let Some(line) = line.strip_suffix(b"\n") else {
            let too_long = line.len() >= MAX_LINE_BYTES;
            return Err(if too_long {
                FaultKind::NotALine(LineError::TooLong)
            } else {
                FaultKind::Unfinished
            });
        };
        let link = Link::parse(line, audit.seal()).map_err(FaultKind::NotALine)?.ok_or(FaultKind::Changed)?;
        let expected = self.seq.saturating_add(1);
        if link.seq != expected {
            return Err(FaultKind::OutOfOrder { expected, found: link.seq });
        }
        if link.prev != self.hash {
            return Err(FaultKind::Unlinked);
        }
        Ok(Self { seq: link.seq, hash: link.hash })
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
        let head = self.read_head()?;
        let mut result =
            Verification { lines: 0, files: 0, head: head.as_ref().ok().copied(), torn: 0, first_bad: None };
        if let Some(bad) = self.verify_lines(&mut result)? {
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

    fn stamps(&self) -> Result<FileStamps, AuditError> {
        let months = self.months()?.into_iter().map(|month| self.month_path(month));
        let mut stamps = FileStamps::new();
        for path in months.chain([self.head_path()]) {
            let Some(file) = files::open(&path)? else { continue };
            let found = file.metadata().map_err(FileError::system(FileOperation::Read, &path))?;
            stamps.push((path, found.len(), found.modified().ok()));
        }
        Ok(stamps)
    }

    fn verify_lines(&self, result: &mut Verification) -> Result<Option<ChainFault>, AuditError> {
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
                read += line.len() as u64;
                match end.follow(line, self) {
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
        Ok(None)
    }
}
