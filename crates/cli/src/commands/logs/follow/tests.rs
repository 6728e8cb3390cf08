//! A real rotating log, written and followed.

use std::io::Write;

use tarsus_home::files::Rotating;
use tempfile::TempDir;

use super::*;

struct Log {
    folder: TempDir,
    writer: Rotating,
    written: u64,
}

impl Log {
    fn new(most_bytes: u64, keep: u32) -> Self {
        let folder = TempDir::new().unwrap();
        let writer = Rotating::open(&folder.path().join("x.log"), most_bytes, keep).unwrap();
        Self { folder, writer, written: 0 }
    }

    /// Writes the next lines, each with a timestamp of its own.
    fn write(&mut self, lines: u64) {
        for _ in 0..lines {
            writeln!(self.writer, "{}", line(self.written)).unwrap();
            self.written += 1;
        }
    }

    fn follow(&self) -> LogFollower {
        LogFollower::new(self.folder.path().join("x.log"), None, 0)
    }
}

/// Polls until there is nothing more.
fn all(following: &mut LogFollower) -> LogBatch {
    let mut all = LogBatch::default();
    loop {
        let found = following.poll().unwrap();
        all.lines.extend(found.lines);
        all.gap |= found.gap;
        if !found.more {
            return all;
        }
    }
}

fn line(number: u64) -> String {
    format!(r#"{{"timestamp":"2026-11-16T04:30:{number:09}Z","level":"INFO"}}"#)
}

fn lines(numbers: std::ops::Range<u64>) -> LogBatch {
    LogBatch { lines: numbers.map(|number| line(number).into_bytes()).collect(), ..LogBatch::default() }
}

#[test]
fn follower_reads_each_line_once_across_rotations() {
    let mut log = Log::new(300, 20);
    let mut following = log.follow();
    let mut read = 0;
    // A file holds five lines.
    for more in [0, 1, 4, 1, 5, 0, 12, 3, 40, 2] {
        log.write(more);
        assert_eq!(all(&mut following), lines(read..log.written), "after {} lines", log.written);
        read = log.written;
    }
}

#[test]
fn files_deleted_before_reading_are_reported_as_gap() {
    let mut log = Log::new(300, 2);
    let mut following = log.follow();
    log.write(3);
    assert_eq!(all(&mut following), lines(0..3));
    log.write(50);
    let found = all(&mut following);
    assert!(found.gap);
    assert_eq!(found.lines.last().unwrap(), line(52).as_bytes());
    let lost = 53 - 3 - found.lines.len();
    assert!(lost > 0 && lost < 45, "{lost} are lost");
}

// Other systems cannot replace an open file.
#[cfg(unix)]
#[test]
fn removed_log_is_followed_in_its_replacement_once() {
    let mut log = Log::new(300, 3);
    log.write(12);
    let mut following = log.follow();
    all(&mut following);
    log.write(1);
    assert_eq!(all(&mut following), lines(12..13));
    std::fs::remove_file(log.folder.path().join("x.log")).unwrap();
    let path = log.folder.path().join("x.log");
    log.writer = Rotating::open(&path, 300, 3).unwrap();
    log.write(2);
    assert_eq!(all(&mut following).lines, lines(13..15).lines);
}

#[test]
fn empty_file_that_is_written_later_is_read_once() {
    let mut log = Log::new(300, 3);
    log.write(7);
    let path = log.folder.path().join("x.log");
    std::fs::rename(&path, log.folder.path().join("x.log.9")).unwrap();
    log.writer = Rotating::open(&path, 300, 3).unwrap();
    let mut following = LogFollower::new(path.clone(), LogFile::open(&path, 0).unwrap(), 0);
    assert_eq!(all(&mut following), LogBatch::default());
    log.write(3);
    assert_eq!(all(&mut following), lines(7..10));
    log.write(4);
    assert_eq!(all(&mut following), lines(10..14));
}

#[test]
fn line_is_returned_once_it_is_complete() {
    let mut log = Log::new(300, 1);
    let mut following = log.follow();
    log.writer.write_all(b"half").unwrap();
    assert_eq!(all(&mut following), LogBatch::default());
    log.writer.write_all(b" a line\nand").unwrap();
    assert_eq!(all(&mut following).lines, [b"half a line"]);
}
