//! The chain on disk: recording, reading, crash recovery and detection of every change.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use proptest::prelude::*;
use tarsus_audit::{
    Audit, AuditEntry, AuditError, Hash, RecordCategory, RecordFilter, RecordSeverity, check_line,
};
use tarsus_home::{Home, HomeOptions, files};
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

fn home() -> (TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let choice = HomeOptions { state_flag: Some(dir.path().join("state")), ..HomeOptions::default() };
    let home = Home::locate(&choice).unwrap();
    (dir, home)
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn noon() -> Timestamp {
    at("2026-11-15T12:00:00Z")
}

fn event(name: &str) -> AuditEntry {
    AuditEntry::security(name, RecordSeverity::Info)
}

/// A chain with `count` lines in November 2026.
fn chain(count: usize) -> (TempDir, Home, Audit) {
    let (dir, home) = home();
    let audit = Audit::open(&home, None).unwrap();
    for number in 1..=count {
        audit.record(event(&format!("event {number}")), noon()).unwrap();
    }
    (dir, home, audit)
}

fn november(home: &Home) -> PathBuf {
    home.audit_dir().join("2026-11.jsonl")
}

fn lines(path: &Path) -> Vec<Vec<u8>> {
    fs::read(path).unwrap().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// Returns file and line of the first fault.
fn first_bad(audit: &Audit) -> Option<(String, Option<u64>)> {
    let bad = audit.verify().unwrap().first_bad?;
    Some((bad.path.file_name().unwrap().to_str().unwrap().to_owned(), bad.line))
}

fn in_november(line: u64) -> Option<(String, Option<u64>)> {
    Some(("2026-11.jsonl".to_owned(), Some(line)))
}

fn events(audit: &Audit) -> Vec<String> {
    let tail = audit.tail(&RecordFilter::default()).unwrap();
    assert_eq!(tail.unreadable, 0);
    tail.records.into_iter().map(|record| record.entry.event).collect()
}

#[test]
fn records_are_numbered_linked_and_private() {
    let (_dir, home, audit) = chain(3);
    let records = audit.tail(&RecordFilter::default()).unwrap().records;
    assert_eq!(records.iter().map(|record| record.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(records[0].prev, Hash::NONE);
    assert_eq!((records[1].prev, records[2].prev), (records[0].hash, records[1].hash));
    let head = audit.head().unwrap();
    assert_eq!((head.seq, head.hash), (3, records[2].hash));
    assert_eq!(head.bytes, fs::metadata(november(&home)).unwrap().len());
    let verified = audit.verify().unwrap();
    assert_eq!((verified.lines, verified.files, verified.head), (3, 1, Some(head)));
    assert_eq!((verified.torn, verified.first_bad), (0, None));
    for path in [november(&home), home.audit_dir().join("head.json"), home.audit_key_path()] {
        assert_eq!(files::open_to_others(&path).unwrap(), None);
    }
    assert_eq!(
        files::list_names(&home.audit_dir(), 9).unwrap(),
        [".head.json.lock", "2026-11.jsonl", "head.json"]
    );
}

#[test]
fn a_reopened_chain_continues() {
    let (_dir, home, audit) = chain(1);
    drop(audit);
    let audit = Audit::open(&home, None).unwrap();
    assert_eq!(audit.record(event("next"), noon()).unwrap().seq, 2);
    assert_eq!(first_bad(&audit), None);
}

#[test]
fn opening_does_not_create_a_chain() {
    let (dir, home) = home();
    assert!(Audit::open_existing(&home, None).unwrap().is_none());
    assert_eq!(files::list_names(dir.path(), 9).unwrap(), [""; 0]);
    let audit = Audit::open(&home, None).unwrap();
    assert_eq!((audit.head().unwrap().seq, first_bad(&audit)), (0, None));
    assert!(Audit::open_existing(&home, None).unwrap().is_none());
    audit.record(event("first"), noon()).unwrap();
    assert_eq!(Audit::open_existing(&home, None).unwrap().unwrap().head().unwrap().seq, 1);
}

#[test]
fn a_removed_chain_is_an_error_for_its_writer() {
    let (dir, home, audit) = chain(1);
    for name in files::list_names(&home.audit_dir(), 99).unwrap() {
        files::remove_file(&home.audit_dir().join(name)).unwrap();
    }
    assert!(audit.record(event("next"), noon()).is_err());
    drop(dir);
}

#[test]
fn concurrent_writers_share_one_chain() {
    let (_dir, home, one) = chain(0);
    let two = Audit::open(&home, None).unwrap();
    for turn in 0..6 {
        let audit = if turn % 2 == 0 { &one } else { &two };
        assert_eq!(audit.record(event("x"), noon()).unwrap().seq, turn + 1);
    }
    std::thread::scope(|scope| {
        for audit in [&one, &one, &two, &two] {
            scope.spawn(move || {
                for _ in 0..10 {
                    audit.record(event("y"), noon()).unwrap();
                }
            });
        }
    });
    assert_eq!((first_bad(&one), one.head().unwrap().seq), (None, 46));
}

#[test]
fn a_new_month_starts_a_linked_file() {
    let (_dir, home, audit) = chain(2);
    let last = audit.head().unwrap().hash;
    audit.record(event("december"), at("2026-12-01T00:00:00Z")).unwrap();
    let december = home.audit_dir().join("2026-12.jsonl");
    let first = check_line(lines(&december)[0].strip_suffix(b"\n").unwrap()).unwrap();
    assert_eq!((first.seq, first.prev), (3, last));
    assert_eq!(first_bad(&audit), None);
}

#[test]
fn a_clock_going_back_keeps_the_later_file() {
    let (_dir, home, audit) = chain(1);
    audit.record(event("december"), at("2026-12-01T00:00:00Z")).unwrap();
    audit.record(event("back"), noon()).unwrap();
    assert_eq!(lines(&november(&home)).len(), 1);
    assert_eq!(lines(&home.audit_dir().join("2026-12.jsonl")).len(), 2);
    assert_eq!(first_bad(&Audit::open(&home, None).unwrap()), None);
    let since = RecordFilter { since: Some(at("2026-11-15T00:00:00Z")), ..RecordFilter::default() };
    assert_eq!(audit.tail(&since).unwrap().records.len(), 3);
}

#[test]
fn every_changed_byte_of_a_chain_is_found() {
    let (_dir, home, audit) = chain(2);
    let path = november(&home);
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
    for at in 0..whole.len() {
        let line = ends.iter().filter(|end| **end < at).count() as u64 + 1;
        let mut changed = whole.clone();
        // The smallest possible change: the case of a letter, or the lowest bit.
        changed[at] ^= if changed[at].is_ascii_alphabetic() { 0x20 } else { 0x01 };
        fs::write(&path, &changed).unwrap();
        assert_eq!(first_bad(&audit), in_november(line), "byte {at}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(first_bad(&audit), None);
}

#[test]
fn a_chain_cut_off_at_any_byte_is_found_and_takes_no_record() {
    let (_dir, home, audit) = chain(2);
    let path = november(&home);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let full_lines = whole[..length].iter().filter(|byte| **byte == b'\n').count() as u64;
        assert_eq!(first_bad(&audit), in_november(full_lines + 1), "{length}");
        if length % 25 != 0 {
            continue;
        }
        let opened = Audit::open(&home, None).unwrap();
        let refused = Problem::from(opened.record(event("x"), noon()).unwrap_err());
        assert_eq!(refused.code, ErrorCode::Tampered, "{length}");
        let place = refused.location.unwrap();
        assert_eq!((place.path, place.line.map(u64::from)), (path.clone(), Some(full_lines + 1)));
        assert_eq!(fs::read(&path).unwrap(), &whole[..length], "nothing was changed");
    }
}

#[test]
fn removed_swapped_doubled_and_foreign_lines_are_found() {
    let (_dir, home, audit) = chain(4);
    let (_other_dir, other_home, _other) = chain(4);
    let path = november(&home);
    let whole = lines(&path);
    let foreign = lines(&november(&other_home));
    let table: [(&str, Vec<&Vec<u8>>, u64); 6] = [
        ("first removed", vec![&whole[1], &whole[2], &whole[3]], 1),
        ("middle removed", vec![&whole[0], &whole[2], &whole[3]], 2),
        ("last removed", vec![&whole[0], &whole[1], &whole[2]], 4),
        ("swapped", vec![&whole[0], &whole[2], &whole[1], &whole[3]], 2),
        ("doubled", vec![&whole[0], &whole[1], &whole[1], &whole[2], &whole[3]], 3),
        ("foreign", vec![&whole[0], &foreign[1], &whole[2], &whole[3]], 2),
    ];
    for (what, changed, line) in table {
        let bytes: Vec<u8> = changed.into_iter().flatten().copied().collect();
        fs::write(&path, bytes).unwrap();
        assert_eq!(first_bad(&audit), in_november(line), "{what}");
    }
    fs::write(&path, foreign.concat()).unwrap();
    assert_eq!(first_bad(&audit), in_november(1), "a whole chain of another key");
}

#[test]
fn verify_if_changed_notices_every_change() {
    let (_dir, home, audit) = chain(3);
    let lines_that_hold = || audit.verify_if_changed().unwrap().lines;
    assert_eq!((lines_that_hold(), lines_that_hold()), (3, 3));
    audit.record(event("event 4"), noon()).unwrap();
    assert_eq!(audit.verify_if_changed().unwrap(), audit.verify().unwrap());
    assert_eq!(lines_that_hold(), 4);
    // Truncated by someone else: the file is shorter.
    let whole = fs::read(november(&home)).unwrap();
    fs::write(november(&home), &whole[..whole.len() - 10]).unwrap();
    assert!(audit.verify_if_changed().unwrap().first_bad.is_some());
    fs::write(november(&home), &whole).unwrap();
    assert_eq!(audit.verify_if_changed().unwrap(), audit.verify().unwrap());
    fs::remove_file(home.audit_dir().join("head.json")).unwrap();
    assert!(audit.verify_if_changed().unwrap().first_bad.is_some());
}

#[test]
fn a_missing_month_is_detected() {
    let (_dir, home, audit) = chain(2);
    let december = home.audit_dir().join("2026-12.jsonl");
    audit.record(event("december"), at("2026-12-01T00:00:00Z")).unwrap();
    audit.record(event("january"), at("2027-01-01T00:00:00Z")).unwrap();
    fs::rename(&december, home.audit_dir().join("away")).unwrap();
    assert_eq!(first_bad(&audit), Some(("2027-01.jsonl".to_owned(), Some(1))));
    fs::rename(home.audit_dir().join("away"), &december).unwrap();
    fs::remove_file(home.audit_dir().join("2027-01.jsonl")).unwrap();
    assert_eq!(first_bad(&audit), Some(("2027-01.jsonl".to_owned(), None)));
    let error = audit.record(event("x"), at("2027-01-02T00:00:00Z")).unwrap_err();
    assert!(matches!(error, AuditError::Tampered(_)), "{error}");
}

#[test]
fn a_removed_or_changed_head_is_detected() {
    let (_dir, home, audit) = chain(2);
    let head = home.audit_dir().join("head.json");
    let earlier = fs::read(&head).unwrap();
    audit.record(event("3"), noon()).unwrap();
    let now = fs::read(&head).unwrap();
    for bytes in [None, Some(b"".as_slice()), Some(b"{}"), Some(&now[1..])] {
        match bytes {
            Some(bytes) => fs::write(&head, bytes).unwrap(),
            None => fs::remove_file(&head).unwrap(),
        }
        assert_eq!(first_bad(&audit), Some(("head.json".to_owned(), None)));
        let opened = Audit::open(&home, None).unwrap();
        let error = opened.record(event("x"), noon()).unwrap_err();
        assert!(matches!(error, AuditError::Tampered(_)), "{error}");
    }
    // A crash leaves an old head with all lines: the line is adopted.
    fs::write(&head, earlier).unwrap();
    assert_eq!(Audit::open(&home, None).unwrap().head().unwrap().seq, 3);
    assert_eq!(fs::read(&head).unwrap(), now);
}

#[test]
fn a_chain_without_its_key_is_not_recreated() {
    let (_dir, home, _audit) = chain(1);
    let key = home.audit_key_path();
    fs::remove_file(&key).unwrap();
    let audit = Audit::open(&home, None).unwrap();
    let problem = Problem::from(audit.record(event("x"), noon()).unwrap_err());
    assert_eq!((problem.code, problem.location.unwrap().path), (ErrorCode::Tampered, key.clone()));
    assert!(!key.exists());
}

#[test]
fn a_torn_line_is_truncated_saved_and_reported() {
    for torn in [b"{\"seq\":3,\"ts\"".as_slice(), b"\0\0\0\0", b"{\"seq\":3\0\0\0hash\"}\n"] {
        let (_dir, home, audit) = chain(2);
        let path = november(&home);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole, torn].concat()).unwrap();
        let verified = audit.verify().unwrap();
        assert_eq!((verified.first_bad, verified.torn), (None, torn.len() as u64));
        audit.record(event("next"), noon()).unwrap();
        assert_eq!((first_bad(&audit), audit.head().unwrap().seq), (None, 3));
        let next = audit.tail(&RecordFilter { limit: Some(1), ..RecordFilter::default() }).unwrap().records;
        assert_eq!(next[0].entry.detail["tornBefore"], torn.len());
        let aside = fs::read(home.audit_dir().join("2026-11.torn")).unwrap();
        assert_eq!(aside, [torn, b"\n"].concat());
        audit.record(event("after"), noon()).unwrap();
        let after = audit.tail(&RecordFilter { limit: Some(1), ..RecordFilter::default() }).unwrap().records;
        assert_eq!(after[0].entry, event("after"), "said once");
    }
}

#[test]
fn foreign_data_after_the_head_is_detected() {
    let (_dir, home, audit) = chain(2);
    let path = november(&home);
    let whole = fs::read(&path).unwrap();
    let doubled = lines(&path)[1].clone();
    let long = vec![b'x'; 20_000];
    for added in [b"not ours\n".as_slice(), &doubled, &long, b"not ours\nand torn"] {
        let changed = [&whole, added].concat();
        fs::write(&path, &changed).unwrap();
        assert_eq!(first_bad(&audit), in_november(3));
        let opened = Audit::open(&home, None).unwrap();
        assert!(matches!(opened.record(event("x"), noon()), Err(AuditError::Tampered(_))));
        assert_eq!(fs::read(&path).unwrap(), changed, "nothing was changed");
    }
}

#[test]
fn lines_of_a_new_month_beyond_the_head_are_adopted() {
    let (_dir, home, audit) = chain(1);
    let head = home.audit_dir().join("head.json");
    let earlier = fs::read(&head).unwrap();
    audit.record(event("december"), at("2026-12-01T00:00:00Z")).unwrap();
    fs::write(&head, earlier).unwrap();
    // The line is not lost, even if the clock went back.
    assert_eq!(audit.record(event("back"), noon()).unwrap().seq, 3);
    assert_eq!(events(&audit), ["event 1", "december", "back"]);
    assert_eq!(first_bad(&audit), None);
}

#[test]
fn lost_records_are_counted_and_noted_in_the_next_one() {
    let (_dir, home, audit) = chain(1);
    let path = november(&home);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, b"").unwrap();
    assert_eq!(audit.record_best_effort(event("deny"), noon()), None);
    assert_eq!(audit.record_best_effort(event("stop"), noon()), None);
    assert_eq!(audit.lost(), 2);
    fs::write(&path, whole).unwrap();
    assert_eq!(audit.record_best_effort(event("kill"), noon()).unwrap().seq, 2);
    audit.record(event("after"), noon()).unwrap();
    let records = audit.tail(&RecordFilter::default()).unwrap().records;
    assert_eq!(records[1].entry.detail["lostBefore"], 2);
    assert_eq!(records[2].entry, event("after"));
    assert_eq!((first_bad(&audit), audit.lost()), (None, 2));
}

#[test]
fn a_tail_returns_the_newest_matching_records() {
    let (_dir, _home, audit) = chain(0);
    let moments = ["2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"];
    for (day, moment) in moments.into_iter().enumerate() {
        audit.record(event(&format!("info {day}")), at(moment)).unwrap();
        let critical = AuditEntry::security(format!("critical {day}"), RecordSeverity::Critical);
        audit.record(critical, at(moment)).unwrap();
        let operation =
            AuditEntry::new(RecordCategory::Operation, format!("start {day}"), RecordSeverity::Warning);
        audit.record(operation, at(moment)).unwrap();
    }
    let all = RecordFilter::default();
    let table: [(RecordFilter, &[&str]); 6] = [
        (RecordFilter { limit: Some(2), ..all.clone() }, &["critical 2", "start 2"]),
        (RecordFilter { limit: Some(0), ..all.clone() }, &[]),
        (
            RecordFilter { severity: Some(RecordSeverity::Critical), ..all.clone() },
            &["critical 0", "critical 1", "critical 2"],
        ),
        (
            RecordFilter { severity: Some(RecordSeverity::Warning), limit: Some(3), ..all.clone() },
            &["start 1", "critical 2", "start 2"],
        ),
        (
            RecordFilter { category: Some(RecordCategory::Operation), ..all.clone() },
            &["start 0", "start 1", "start 2"],
        ),
        (
            RecordFilter { since: Some(at(moments[1])), category: Some(RecordCategory::Security), ..all },
            &["info 1", "critical 1", "info 2", "critical 2"],
        ),
    ];
    for (filter, expected) in table {
        let records = audit.tail(&filter).unwrap().records;
        let seen: Vec<_> = records.iter().map(|record| record.entry.event.as_str()).collect();
        assert_eq!(seen, expected, "{filter:?}");
    }
}

#[test]
fn a_tail_skips_unreadable_lines() {
    let (_dir, home, audit) = chain(3);
    let path = november(&home);
    let mut changed = lines(&path);
    changed[1] = b"nothing\n".to_vec();
    fs::write(&path, changed.concat()).unwrap();
    let tail = audit.tail(&RecordFilter::default()).unwrap();
    assert_eq!((tail.records.len(), tail.unreadable), (2, 1));
    let error = audit.export(Vec::new(), &RecordFilter::default()).unwrap_err();
    assert!(matches!(error, AuditError::Tampered(bad) if bad.line == Some(2)));
}

#[test]
fn an_export_contains_the_original_lines() {
    let (_dir, home, audit) = chain(3);
    audit.record(event("december"), at("2026-12-01T00:00:00Z")).unwrap();
    let mut whole = fs::read(november(&home)).unwrap();
    whole.extend(fs::read(home.audit_dir().join("2026-12.jsonl")).unwrap());
    let mut exported = Vec::new();
    assert_eq!(audit.export(&mut exported, &RecordFilter::default()).unwrap(), 4);
    assert_eq!(exported, whole);
    // A line that is still being written is not exported.
    let december = home.audit_dir().join("2026-12.jsonl");
    let text = [fs::read(&december).unwrap(), b"{\"seq\":5,".to_vec()].concat();
    fs::write(&december, text).unwrap();
    assert_eq!(audit.export(Vec::new(), &RecordFilter::default()).unwrap(), 4);
    let mut first = Vec::new();
    let one = RecordFilter { limit: Some(1), ..RecordFilter::default() };
    assert_eq!(audit.export(&mut first, &one).unwrap(), 1);
    assert_eq!(first, lines(&november(&home))[0]);

    let full = audit.export(Full, &RecordFilter::default()).unwrap_err();
    assert_eq!(Problem::from(full).code, ErrorCode::Io);
}

struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn unrelated_files_are_ignored() {
    let (_dir, home, audit) = chain(1);
    for name in ["notes.jsonl", "2026-1.jsonl", "2026-11.jsonl.bak"] {
        fs::write(home.audit_dir().join(name), b"x\n").unwrap();
    }
    audit.record(event("next"), noon()).unwrap();
    assert_eq!(first_bad(&audit), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn recorded_entries_round_trip_and_verify(
        texts in proptest::collection::vec(("\\PC{0,40}", proptest::option::of(".{0,80}"), 0_i64..100_000_000), 1..6),
    ) {
        let (_dir, home) = home();
        let audit = Audit::open(&home, None).unwrap();
        let mut expected = Vec::new();
        for (event, reason, seconds) in texts {
            let entry = AuditEntry { reason, ..AuditEntry::security(event, RecordSeverity::Warning) };
            let moment = Timestamp::from_second(1_700_000_000 + seconds).unwrap();
            audit.record(entry.clone(), moment).unwrap();
            expected.push((moment, entry));
        }
        let tail = audit.tail(&RecordFilter::default()).unwrap();
        let seen: Vec<_> = tail.records.into_iter().map(|record| (record.ts, record.entry)).collect();
        prop_assert_eq!(seen, expected);
        prop_assert_eq!(first_bad(&audit), None);
    }
}
