//! Locked files: atomic replacement by one process at a time.

use std::fs;
use std::path::Path;

use tarsus_home::files::{self, Lock, Locked};
use tarsus_protocol::{ErrorCode, Problem};

fn names(path: &Path) -> Vec<String> {
    files::list_names(path, 100).unwrap()
}

#[test]
fn replace_is_complete_private_and_leaves_no_temp_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("own/file");
    let locked = Locked::take(&path).unwrap();
    assert!(locked.read(10).unwrap().is_none());
    for bytes in [b"one".as_slice(), b"", &[0xff; 100_000]] {
        locked.replace(bytes).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    locked.replace_soon(b"two").unwrap();
    assert_eq!(locked.read(10).unwrap().unwrap(), b"two");
    assert_eq!(files::open_to_others(&path).unwrap(), None);
    assert_eq!(names(path.parent().unwrap()), [".file.lock", "file"]);
    locked.remove().unwrap();
    locked.remove().unwrap();
    assert_eq!(names(path.parent().unwrap()), [".file.lock"]);
}

#[test]
fn leftovers_of_a_killed_writer_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, b"old").unwrap();
    fs::write(dir.path().join(".file.tmp"), b"hal").unwrap();
    fs::write(dir.path().join(".other.tmp"), b"not ours").unwrap();
    drop(Locked::take(&path).unwrap());
    assert_eq!(names(dir.path()), [".file.lock", ".other.tmp", "file"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn replacing_a_folder_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::create_dir(&path).unwrap();
    let locked = Locked::take(&path).unwrap();
    let problem = Problem::from(locked.replace(b"x").unwrap_err());
    assert_eq!(problem.code, ErrorCode::Malformed);
    assert_eq!(Problem::from(locked.read(9).unwrap_err()).code, ErrorCode::Malformed);
    assert_eq!(names(dir.path()), [".file.lock", "file"]);
    assert!(path.is_dir());
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_its_target_changes() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("real");
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink("real/target", dir.path().join("middle")).unwrap();
    std::os::unix::fs::symlink("middle", dir.path().join("link")).unwrap();
    let locked = Locked::take(&dir.path().join("link")).unwrap();
    locked.replace(b"new").unwrap();
    assert_eq!(fs::read_link(dir.path().join("link")).unwrap(), Path::new("middle"));
    assert_eq!(fs::read(real.join("target")).unwrap(), b"new");
    // The link and its target share one lock.
    assert!(Lock::try_take(&real.join(".target.lock")).unwrap().is_none());
}

#[cfg(unix)]
#[test]
fn a_link_cycle_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("b", dir.path().join("a")).unwrap();
    std::os::unix::fs::symlink("a", dir.path().join("b")).unwrap();
    let problem = Problem::from(Locked::take(&dir.path().join("a")).unwrap_err());
    assert_eq!(problem.code, ErrorCode::Malformed);
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_an_error_without_changes() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, b"old").unwrap();
    let locked = Locked::take(&path).unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let replaced = locked.replace(b"new");
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
    // Root can write everywhere.
    if rustix::process::geteuid().is_root() {
        assert_eq!(fs::read(&path).unwrap(), b"new");
    } else {
        assert_eq!(Problem::from(replaced.unwrap_err()).code, ErrorCode::Permission);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}

#[cfg(unix)]
#[test]
fn replace_keeps_the_owner() {
    use std::os::unix::fs::{MetadataExt, chown};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, b"old").unwrap();
    if chown(&path, Some(12_345), Some(12_345)).is_err() {
        return; // Only root can set this scene.
    }
    Locked::take(&path).unwrap().replace(b"new").unwrap();
    let found = fs::metadata(&path).unwrap();
    assert_eq!((found.uid(), found.gid(), found.mode() & 0o777), (12_345, 12_345, 0o600));
}

#[test]
fn concurrent_writers_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("count");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let locked = Locked::take(&path).unwrap();
                    let count = locked.read(10).unwrap().unwrap_or_else(|| b"0".to_vec());
                    let count: u32 = String::from_utf8(count).unwrap().parse().unwrap();
                    locked.replace_soon((count + 1).to_string().as_bytes()).unwrap();
                }
            });
        }
    });
    assert_eq!(fs::read(&path).unwrap(), b"100");
}

#[test]
fn a_lock_is_exclusive_and_released_on_drop() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let held = Lock::try_take(&path).unwrap().unwrap();
    assert!(Lock::try_take(&path).unwrap().is_none());
    drop(held);
    assert!(Lock::try_take(&path).unwrap().is_some());
}
