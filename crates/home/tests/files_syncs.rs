//! Number of syncs per kind of write. A separate test binary, because the counter is per process.
#![allow(clippy::unwrap_used, reason = "tests panic on the first unexpected result")]

use tarsus_home::files::{self, Append, FileError, Locked, Reserve};

/// Returns the number of syncs of `act`. Folders are synced on Unix only.
fn cost<T>(act: impl FnOnce() -> Result<T, FileError>) -> u64 {
    let before = files::syncs();
    act().unwrap();
    files::syncs() - before
}

#[test]
fn every_sync_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let folder = u64::from(cfg!(unix));
    assert_eq!(cost(|| files::make_private_dir(&dir.path().join("a/b"))), 2 * folder);
    let locked = Locked::take(&dir.path().join("file")).unwrap();
    assert_eq!(cost(|| locked.replace(b"x")), 1 + folder);
    assert_eq!(cost(|| locked.replace_soon(b"y")), 1);
    assert_eq!(cost(|| locked.read(9)), 0);
    assert_eq!(cost(|| locked.remove()), folder);
    let path = dir.path().join("log");
    assert_eq!(cost(|| Append::open(&path)), folder);
    let mut log = Append::open(&path).unwrap();
    assert_eq!(cost(|| log.append(b"line\n")), 0);
    assert_eq!(cost(|| log.sync()), 1);
    assert_eq!(cost(|| log.cut(0)), 1);
    assert_eq!(cost(|| Reserve::at(dir.path().join("reserve")).ensure()), 1);
}
