//! Reading, creating, removing and checking plain files and folders.

use std::fs;
use std::path::Path;

use tarsus_home::files::{self, FileError};
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn code(error: FileError) -> ErrorCode {
    Problem::from(error).code
}

#[test]
fn a_read_is_limited() {
    let dir = folder();
    let path = dir.path().join("file");
    fs::write(&path, b"12345").unwrap();
    assert_eq!(files::read(&path, 5).unwrap().unwrap(), b"12345");
    assert_eq!(code(files::read(&path, 4).unwrap_err()), ErrorCode::TooLarge);
    assert_eq!(files::read(&path, u64::MAX).unwrap().unwrap(), b"12345");
    assert!(files::read(&dir.path().join("none"), 5).unwrap().is_none());
}

#[test]
fn a_folder_where_a_file_should_be_is_malformed() {
    let dir = folder();
    let problem = Problem::from(files::read(dir.path(), 5).unwrap_err());
    assert_eq!(problem.code, ErrorCode::Malformed);
    assert!(problem.message.contains("it is a folder"), "{problem}");
    assert_eq!(problem.location.unwrap().path, dir.path());
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_without_waiting() {
    let dir = folder();
    let pipe = dir.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert_eq!(code(files::read(&pipe, 5).unwrap_err()), ErrorCode::Malformed);
    assert_eq!(code(files::read(Path::new("/dev/zero"), 5).unwrap_err()), ErrorCode::Malformed);
    assert_eq!(code(files::Append::open(&pipe).unwrap_err()), ErrorCode::Malformed);
    assert_eq!(code(files::Lock::take(&pipe).unwrap_err()), ErrorCode::Malformed);
    assert_eq!(code(files::Locked::take(&pipe).unwrap().replace(b"x").unwrap_err()), ErrorCode::Malformed);
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_a_permission_problem() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder();
    let path = dir.path().join("closed");
    fs::write(&path, b"x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root can read everything, so the read succeeds.
    match files::read(&path, 5) {
        Err(error) => assert_eq!(code(error), ErrorCode::Permission),
        Ok(bytes) => assert!(rustix::process::geteuid().is_root() && bytes.unwrap() == b"x"),
    }
}

#[test]
fn make_private_dir_creates_missing_ancestors() {
    let dir = folder();
    let path = dir.path().join("a/b");
    assert!(files::make_private_dir(&path).unwrap());
    assert!(!files::make_private_dir(&path).unwrap());
    assert_eq!(files::open_to_others(&path).unwrap(), None);
    let file = dir.path().join("file");
    fs::write(&file, b"").unwrap();
    assert_eq!(code(files::make_private_dir(&file).unwrap_err()), ErrorCode::Malformed);
    assert!(files::make_private_dir(&file.join("below")).is_err());
    #[cfg(unix)]
    {
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        assert!(files::make_private_dir(&link).is_err());
    }
}

#[test]
fn remove_file_returns_whether_it_existed() {
    let dir = folder();
    let path = dir.path().join("file");
    fs::write(&path, b"").unwrap();
    assert!(files::remove_file(&path).unwrap());
    assert!(!files::remove_file(&path).unwrap());
}

#[test]
fn names_are_listed_in_order_up_to_the_limit() {
    let dir = folder();
    for name in ["c", "a", "b"] {
        fs::write(dir.path().join(name), b"").unwrap();
    }
    assert_eq!(files::list_names(dir.path(), 3).unwrap(), ["a", "b", "c"]);
    assert_eq!(code(files::list_names(dir.path(), 2).unwrap_err()), ErrorCode::TooLarge);
    assert_eq!(files::list_names(&dir.path().join("none"), 2).unwrap(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn open_to_others_returns_the_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder();
    let path = dir.path().join("file");
    assert_eq!(files::open_to_others(&path).unwrap(), None);
    fs::write(&path, b"").unwrap();
    for (mode, shown) in [(0o600, None), (0o644, Some(0o644)), (0o602, Some(0o602)), (0o700, None)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(files::open_to_others(&path).unwrap(), shown);
    }
}

#[test]
fn a_key_is_created_once_and_never_overwritten() {
    let dir = folder();
    let path = dir.path().join("own/key");
    let key = files::read_or_create_key(&path).unwrap();
    assert_eq!(files::read_or_create_key(&path).unwrap(), key);
    assert_eq!(files::open_to_others(&path).unwrap(), None);
    fs::write(&path, b"short").unwrap();
    assert_eq!(code(files::read_or_create_key(&path).unwrap_err()), ErrorCode::Malformed);
    fs::write(&path, [7; 33]).unwrap();
    assert_eq!(code(files::read_or_create_key(&path).unwrap_err()), ErrorCode::TooLarge);
    assert_eq!(fs::read(&path).unwrap(), [7; 33]);
}

#[test]
fn concurrent_callers_get_the_same_key() {
    let dir = folder();
    let path = dir.path().join("key");
    let keys: Vec<_> = std::thread::scope(|scope| {
        let results: Vec<_> =
            (0..8).map(|_| scope.spawn(|| files::read_or_create_key(&path).unwrap())).collect();
        results.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(keys.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn every_kind_of_failure_has_its_code() {
    use std::io::{Error, ErrorKind};
    let table = [
        (ErrorKind::StorageFull, ErrorCode::DiskFull),
        (ErrorKind::QuotaExceeded, ErrorCode::DiskFull),
        (ErrorKind::FileTooLarge, ErrorCode::DiskFull),
        (ErrorKind::PermissionDenied, ErrorCode::Permission),
        (ErrorKind::ReadOnlyFilesystem, ErrorCode::Permission),
        (ErrorKind::NotFound, ErrorCode::NotFound),
        (ErrorKind::Other, ErrorCode::Io),
    ];
    for (kind, expected) in table {
        let error = FileError::System {
            operation: files::FileOperation::Write,
            path: "/x/secrets.json".into(),
            source: Error::from(kind),
        };
        let problem = Problem::from(error);
        assert_eq!((problem.code, problem.message.as_str()), (expected, "cannot write secrets.json"));
        assert_eq!(problem.location.unwrap().path, Path::new("/x/secrets.json"));
    }
}
