//! Append-only and rotating files, and the space reserve for a full disk.

use std::fs;
use std::io::Write;

use proptest::prelude::*;
use tarsus_home::files::{self, Append, Reserve, Rotating};

#[test]
fn append_adds_lines_and_cut_removes_a_torn_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("own/log");
    let mut log = Append::open(&path).unwrap();
    assert_eq!(log.append(b"one\n").unwrap(), 0);
    assert_eq!(log.append(b"two\nthr").unwrap(), 4);
    log.sync().unwrap();
    let mut again = Append::open(&path).unwrap();
    assert_eq!(again.length().unwrap(), 11);
    again.cut(8).unwrap();
    assert_eq!(again.append(b"three\n").unwrap(), 8);
    assert_eq!(fs::read(&path).unwrap(), b"one\ntwo\nthree\n");
    assert_eq!(files::open_to_others(&path).unwrap(), None);
}

#[test]
fn opening_a_folder_as_a_log_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Append::open(dir.path()).is_err());
    assert!(Rotating::open(dir.path(), 10, 1).is_err());
}

#[test]
fn rotation_keeps_only_the_newest_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("logs/tarsus.log");
    let mut log = Rotating::open(&path, 10, 2).unwrap();
    for line in ["line 1\n", "line 2\n", "line 3\n", "line 4\n"] {
        log.write_all(line.as_bytes()).unwrap();
    }
    log.flush().unwrap();
    let folder = path.parent().unwrap();
    let names = files::list_names(folder, 10).unwrap();
    assert_eq!(names, ["tarsus.log", "tarsus.log.1", "tarsus.log.2"]);
    let texts: Vec<_> = names.iter().map(|name| fs::read_to_string(folder.join(name)).unwrap()).collect();
    assert_eq!(texts, ["line 4\n", "line 3\n", "line 2\n"]);
}

#[test]
fn rotation_with_keep_zero_and_a_long_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let mut log = Rotating::open(&path, 4, 0).unwrap();
    log.write_all(b"longer than the limit\n").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"longer than the limit\n");
    log.write_all(b"x\n").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"x\n");
    assert_eq!(files::list_names(dir.path(), 9).unwrap(), ["log"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rotated_files_are_bounded_and_keep_newest_lines(
        sizes in proptest::collection::vec(1_usize..12, 1..40),
        reopen in 1_usize..7,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut log = Rotating::open(&path, 16, 3).unwrap();
        let mut all = Vec::new();
        for (number, size) in sizes.iter().enumerate() {
            if number % reopen == 0 {
                log = Rotating::open(&path, 16, 3).unwrap();
            }
            let line = vec![b'a' + u8::try_from(number % 26).unwrap(); *size];
            log.write_all(&line).unwrap();
            all.extend(line);
        }
        let mut kept = Vec::new();
        for name in ["log.3", "log.2", "log.1", "log"] {
            let bytes = fs::read(dir.path().join(name)).unwrap_or_default();
            prop_assert!(bytes.len() <= 16);
            kept.extend(bytes);
        }
        prop_assert!(all.ends_with(&kept) && !kept.is_empty());
    }
}

#[test]
fn the_reserve_has_real_blocks_and_is_recreated() {
    let dir = tempfile::tempdir().unwrap();
    let reserve = Reserve::at(dir.path().join("own/reserve"));
    assert!(reserve.ensure().unwrap());
    assert!(!reserve.ensure().unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        assert!(fs::metadata(reserve.path()).unwrap().blocks() * 512 >= 64 * 1024);
    }
    assert!(reserve.give_back().unwrap());
    assert!(!reserve.give_back().unwrap());
    fs::write(reserve.path(), b"half").unwrap();
    assert!(reserve.ensure().unwrap());
    assert_eq!(fs::metadata(reserve.path()).unwrap().len(), 64 * 1024);
}

#[test]
fn a_write_on_a_full_disk_is_retried_once() {
    let dir = tempfile::tempdir().unwrap();
    let reserve = Reserve::at(dir.path().join("reserve"));
    let there = || reserve.path().exists();
    let mut seen = Vec::new();
    let done = reserve.spend_on(
        |error| *error == "full",
        || {
            seen.push(there());
            if there() { Err("full") } else { Ok(()) }
        },
    );
    assert_eq!((done, seen), (Ok(()), vec![true, false]));

    let mut runs = 0;
    let still_full: Result<(), _> = reserve.spend_on(
        |_| true,
        || {
            runs += 1;
            Err("full")
        },
    );
    assert_eq!((still_full, runs, there()), (Err("full"), 2, false));

    let other: Result<(), _> = reserve.spend_on(|_| false, || Err("other"));
    assert_eq!((other, there()), (Err("other"), true));
}
