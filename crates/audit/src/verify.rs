//! Checks the whole chain, line by line from the first, and names the first that does not hold.
//!
//! Promises: reads only, takes no lock, and streams, so that a chain of any length can be checked while it
//! grows.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use tarsus_home::files::{self, Doing, FileError};

use crate::chain::Audit;
use crate::error::AuditError;
use crate::head::Head;
use crate::line::{LONGEST_LINE, LineError, Link};
use crate::read::Lines;
use crate::seal::Hash;

/// What a check of the whole chain found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// Lines that hold.
    pub lines: u64,
    /// Files that were read.
    pub files: u64,
    /// Where the chain should end; `None` when the head file is missing or changed.
    pub head: Option<Head>,
    /// Bytes of an unfinished line after the head; the next record cuts it off and keeps it aside.
    pub torn: u64,
    /// The first thing that does not hold.
    pub first_bad: Option<Bad>,
}

/// What does not hold, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, thiserror::Error)]
#[error("{}: {why}", place(path, *line))]
pub struct Bad {
    /// The file.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The line, from 1, where there is one.
    pub line: Option<u64>,
    /// What is wrong.
    pub why: String,
}

fn place(path: &Path, line: Option<u64>) -> String {
    let path = path.display();
    line.map_or_else(|| path.to_string(), |line| format!("{path}:{line}"))
}

/// A path need not be Unicode, but what is shown is.
fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

impl Bad {
    pub(crate) fn new(path: PathBuf, line: Option<u64>, why: Why) -> Self {
        Self { path, line, why: why.to_string() }
    }
}

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
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

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotALine(error) => error.fmt(f),
            Self::Changed => f.write_str("the line was changed, or sealed with another key"),
            Self::OutOfOrder { expected, found } => {
                write!(f, "lines are missing or out of order: number {expected} is due, this is {found}")
            }
            Self::Unlinked => f.write_str("the line does not follow the one before"),
            Self::Unfinished => f.write_str("the line has no end"),
            Self::CutOff { head, end } => {
                write!(f, "lines are cut off: the chain ends at number {end}, the head says {head}")
            }
            Self::OtherHead => f.write_str("the head says that this is another line"),
            Self::NoHead => f.write_str("the head file is missing"),
            Self::HeadChanged => f.write_str("the head file was changed, or sealed with another key"),
            Self::NoKey => f.write_str("the key file is missing"),
        }
    }
}

/// What tells versions of the chain apart without reading it.
pub(crate) type Stamps = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// The end of the chain as far as it was followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub(crate) seq: u64,
    pub(crate) hash: Hash,
}

impl End {
    /// The end after one more line, given with its line end.
    pub(crate) fn follow(self, line: &[u8], audit: &Audit) -> Result<Self, Why> {
        let Some(line) = line.strip_suffix(b"\n") else {
            let too_long = line.len() >= LONGEST_LINE;
            return Err(if too_long { Why::NotALine(LineError::TooLong) } else { Why::Unfinished });
        };
        let link = Link::of(line, audit.seal()).map_err(Why::NotALine)?.ok_or(Why::Changed)?;
        let expected = self.seq.saturating_add(1);
        if link.seq != expected {
            return Err(Why::OutOfOrder { expected, found: link.seq });
        }
        if link.prev != self.hash {
            return Err(Why::Unlinked);
        }
        Ok(Self { seq: link.seq, hash: link.hash })
    }
}

/// Whether the last bytes of a file are what a crash leaves of a line: no end, or holes of a power cut.
pub(crate) fn is_torn(last: &[u8]) -> bool {
    last.len() < LONGEST_LINE && (!last.ends_with(b"\n") || last.contains(&0))
}

impl Audit {
    /// Checks every line.
    ///
    /// # Errors
    /// When a file cannot be read; what does not hold is in the answer.
    pub fn verify(&self) -> Result<Verification, AuditError> {
        let head = self.read_head()?;
        let mut found =
            Verification { lines: 0, files: 0, head: head.as_ref().ok().copied(), torn: 0, first_bad: None };
        if let Some(bad) = self.follow_all(&mut found)? {
            found.first_bad = Some(bad);
        } else if let Err(why) = head {
            found.first_bad = Some(Bad::new(self.head_path(), None, why));
        }
        Ok(found)
    }

    /// The same, unless no file of the chain was changed since the last time: then what was found then. For reports that
    /// are asked for again and again.
    ///
    /// # Errors
    /// As [`Audit::verify`].
    pub fn verify_if_changed(&self) -> Result<Verification, AuditError> {
        // Held while the chain is checked: whoever asks meanwhile is answered by the same check.
        let mut last = self.last_check();
        // Taken before the check, so that a line that is written meanwhile leads to another one.
        let stamps = self.stamps()?;
        match &*last {
            Some((of, found)) if *of == stamps => Ok(found.clone()),
            _ => {
                let found = self.verify()?;
                *last = Some((stamps, found.clone()));
                Ok(found)
            }
        }
    }

    /// The files of the chain with their lengths and the times of their last change.
    fn stamps(&self) -> Result<Stamps, AuditError> {
        let months = self.months()?.into_iter().map(|month| self.month_path(month));
        let mut stamps = Stamps::new();
        for path in months.chain([self.head_path()]) {
            let Some(file) = files::open(&path)? else { continue };
            let found = file.metadata().map_err(FileError::system(Doing::Read, &path))?;
            stamps.push((path, found.len(), found.modified().ok()));
        }
        Ok(stamps)
    }

    fn follow_all(&self, found: &mut Verification) -> Result<Option<Bad>, AuditError> {
        let head = found.head.unwrap_or(Head::EMPTY);
        let mut end = End { seq: 0, hash: Hash::NONE };
        let mut cut_off_at = None;
        for month in self.months()? {
            let path = self.month_path(month);
            let Some(file) = files::open(&path)? else { continue };
            let length = file.metadata().map_err(FileError::system(Doing::Read, &path))?.len();
            let mut lines = Lines::new(file);
            let mut read = 0;
            found.files += 1;
            while let Some(line) = lines.next().map_err(FileError::system(Doing::Read, &path))? {
                read += line.len() as u64;
                match end.follow(line, self) {
                    Ok(next) => end = next,
                    // Beyond the head nothing was acknowledged yet, and a line may just be being written.
                    Err(_) if end.seq >= head.seq && read >= length && is_torn(line) => {
                        found.torn = line.len() as u64;
                        break;
                    }
                    Err(why) => return Ok(Some(Bad::new(path, Some(lines.number), why))),
                }
                found.lines += 1;
                if end.seq == head.seq && end.hash != head.hash {
                    return Ok(Some(Bad::new(path, Some(lines.number), Why::OtherHead)));
                }
            }
            if head.month == Some(month) {
                cut_off_at = Some(lines.number);
            }
        }
        if end.seq < head.seq {
            let path = head.month.map_or_else(|| self.head_path(), |month| self.month_path(month));
            let why = Why::CutOff { head: head.seq, end: end.seq };
            return Ok(Some(Bad::new(path, cut_off_at, why)));
        }
        Ok(None)
    }
}
