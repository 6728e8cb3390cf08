//! Reads the chain: forwards for verification and export, backwards for the tail. Memory is bounded by line and block.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsus_home::files::{self, FileError, FileOperation};

use crate::chain::Audit;
use crate::error::AuditError;
use crate::line::{MAX_LINE_BYTES, check_line};
use crate::month::Month;
use crate::record::{Record, RecordCategory, RecordSeverity};
use crate::verify::is_torn;

const BLOCK: usize = 64 * 1024;
/// Maximum length of a tail; use an export for more.
const MAX_TAIL: usize = 10_000;

/// Selects records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RecordFilter {
    /// Only of this category.
    pub category: Option<RecordCategory>,
    /// Of this severity and above.
    pub severity: Option<RecordSeverity>,
    /// From this time on.
    #[schemars(with = "Option<String>")]
    pub since: Option<Timestamp>,
    /// The maximum number: a tail keeps the newest, an export the oldest.
    pub limit: Option<usize>,
}

impl RecordFilter {
    /// True if a record matches; the caller applies `limit`.
    #[must_use]
    pub fn wants(&self, record: &Record) -> bool {
        self.category.is_none_or(|category| record.entry.category == category)
            && self.severity.is_none_or(|least| record.entry.severity >= least)
            && self.since.is_none_or(|since| record.ts >= since)
    }

    /// A file has no record newer than its month, so older files can be skipped.
    fn may_match_month(&self, month: Month) -> bool {
        self.since.is_none_or(|since| month >= Month::from_timestamp(since))
    }
}

/// The end of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    /// The newest matching records, oldest first.
    pub records: Vec<Record>,
    /// Number of lines that are not records; `verify` reports the first.
    pub unreadable: u64,
}

impl Audit {
    /// Returns the newest matching records, oldest first; at most 10,000.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn tail(&self, filter: &RecordFilter) -> Result<Tail, AuditError> {
        let limit = filter.limit.unwrap_or(MAX_TAIL).min(MAX_TAIL);
        let mut records = VecDeque::new();
        let mut unreadable = 0;
        for month in self.months()?.into_iter().rev().filter(|month| filter.may_match_month(*month)) {
            let path = self.month_path(month);
            let Some(mut file) = files::open(&path)? else { continue };
            let visited = visit_lines_reversed(&mut file, |line| {
                if records.len() >= limit {
                    return ControlFlow::Break(());
                }
                match check_line(line) {
                    Ok(record) if filter.wants(&record) => records.push_front(record),
                    Ok(_) => {}
                    Err(_) => unreadable += 1,
                }
                ControlFlow::Continue(())
            });
            visited.map_err(FileError::system(FileOperation::Read, &path))?;
        }
        Ok(Tail { records: records.into(), unreadable })
    }

    /// Writes the lines of matching records unchanged, oldest first, and returns their number. An export that is stored
    /// elsewhere is evidence that does not depend on this account.
    ///
    /// # Errors
    /// When a file cannot be read, `writer` fails, or a line is not a record.
    pub fn export(&self, mut writer: impl Write, filter: &RecordFilter) -> Result<u64, AuditError> {
        let limit = filter.limit.map_or(u64::MAX, |limit| limit as u64);
        let mut written = 0;
        for month in self.months()?.into_iter().filter(|month| filter.may_match_month(*month)) {
            let path = self.month_path(month);
            let Some(file) = files::open(&path)? else { continue };
            let mut lines = Lines::new(file);
            while let Some(line) = lines.next().map_err(FileError::system(FileOperation::Read, &path))? {
                if written == limit {
                    break;
                }
                if !line.ends_with(b"\n") && is_torn(line) {
                    break; // A concurrent writer has not finished it.
                }
                let record = match check_line(line.strip_suffix(b"\n").unwrap_or(line)) {
                    Ok(record) => record,
                    Err(why) => return Err(self.unreadable_line(month, lines.number, why)),
                };
                if filter.wants(&record) {
                    writer.write_all(line).map_err(AuditError::Export)?;
                    written += 1;
                }
            }
        }
        writer.flush().map_err(AuditError::Export)?;
        Ok(written)
    }
}

/// Reads lines of a file; a line longer than [`MAX_LINE_BYTES`] is split.
pub(crate) struct Lines {
    file: BufReader<File>,
    line: Vec<u8>,
    /// Number of the line returned last, from 1.
    pub(crate) number: u64,
}

impl Lines {
    pub(crate) fn new(file: File) -> Self {
        Self { file: BufReader::with_capacity(BLOCK, file), line: Vec::new(), number: 0 }
    }

    /// Starts at an offset; lines are numbered from there.
    pub(crate) fn starting_at(mut file: File, start: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(start))?;
        Ok(Self::new(file))
    }

    /// Returns the next line with its line end; the last one may have none.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        // One byte more than allowed, so that a line that is too long is detected.
        let most = MAX_LINE_BYTES as u64 + 1;
        let read = (&mut self.file).take(most).read_until(b'\n', &mut self.line)?;
        self.number += 1;
        Ok((read > 0).then_some(&self.line))
    }
}

/// Calls `visit` for each line, last first, without line ends.
fn visit_lines_reversed(file: &mut File, mut visit: impl FnMut(&[u8]) -> ControlFlow<()>) -> io::Result<()> {
    let mut start = file.seek(SeekFrom::End(0))?;
    let mut pending = Vec::new();
    while start > 0 {
        let length = start.min(BLOCK as u64);
        start -= length;
        let mut block = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        (&*file).take(length).read_to_end(&mut block)?;
        // The rest of a line that is too long is not needed.
        pending.truncate(MAX_LINE_BYTES);
        block.append(&mut pending);
        let whole = match block.iter().position(|byte| *byte == b'\n') {
            _ if start == 0 => 0,
            Some(end) => end + 1,
            None => block.len(),
        };
        pending = block[..whole].to_vec();
        let lines = block[whole..].strip_suffix(b"\n").unwrap_or(&block[whole..]);
        if block.len() == whole {
            continue;
        }
        for line in lines.rsplit(|byte| *byte == b'\n') {
            if visit(line).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the test prepares a plain file")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn reversed_lines_equal_forward_lines(
            lengths in proptest::collection::vec(prop_oneof![0_usize..20, 10_000_usize..16_000], 0..30),
            ended in any::<bool>(),
        ) {
            let lines: Vec<Vec<u8>> = lengths.iter().enumerate()
                .map(|(at, length)| vec![b'a' + u8::try_from(at % 26).unwrap(); *length])
                .collect();
            let mut bytes = lines.join(&b'\n');
            // An empty last line without a line end does not count.
            let ended = ended || lines.last().is_some_and(Vec::is_empty);
            if ended && !lines.is_empty() {
                bytes.push(b'\n');
            }
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            let mut seen = Vec::new();
            visit_lines_reversed(&mut file, |line| { seen.push(line.to_vec()); ControlFlow::Continue(()) }).unwrap();
            seen.reverse();
            prop_assert_eq!(seen, lines);
        }
    }
}
