//! Confined folders: access inside works, access outside is rejected.

use std::fs;
use std::path::Path;

use tarsus_home::files::{Confined, Durability, FileError, FileKind, FolderEntry, syncs};
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

/// A confined folder `in` with a secret beside it.
fn scene() -> (TempDir, Confined) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("in/sub")).unwrap();
    fs::write(dir.path().join("secret"), b"secret").unwrap();
    fs::write(dir.path().join("in/file"), b"inside").unwrap();
    let confined = Confined::open(&dir.path().join("in")).unwrap();
    (dir, confined)
}

fn refused(error: FileError) {
    let problem = Problem::from(error);
    assert_eq!(problem.code, ErrorCode::Denied, "{problem:?}");
}

#[test]
fn files_inside_are_read_written_and_listed() {
    let (dir, confined) = scene();
    assert_eq!(confined.read(Path::new("file"), 6).unwrap().unwrap(), b"inside");
    assert_eq!(confined.read(Path::new("./file"), 6).unwrap().unwrap(), b"inside");
    assert!(confined.read(Path::new("none"), 6).unwrap().is_none());
    let before = syncs();
    confined.write(Path::new("sub/deep/new"), b"new", Durability::KillSafe).unwrap();
    assert_eq!(syncs() - before, 0);
    confined.write(Path::new("file"), b"changed", Durability::PowerSafe).unwrap();
    assert_eq!(
        syncs() - before,
        if cfg!(unix) { 2 } else { 1 },
        "the file, and the folder where it needs it"
    );
    assert_eq!(fs::read(dir.path().join("in/sub/deep/new")).unwrap(), b"new");
    assert_eq!(fs::read(dir.path().join("in/file")).unwrap(), b"changed");
    let listed = |name: &str, kind| FolderEntry { name: name.to_owned(), kind };
    for root in ["", "."] {
        assert_eq!(
            confined.list(Path::new(root), 2).unwrap(),
            [listed("file", FileKind::File), listed("sub", FileKind::Folder)]
        );
    }
    assert_eq!(confined.list(Path::new("sub/deep"), 9).unwrap(), [listed("new", FileKind::File)]);
}

#[test]
fn exceeded_limits_and_wrong_kinds_are_errors() {
    let (_dir, confined) = scene();
    let code = |error| Problem::from(error).code;
    let file = Path::new("file");
    assert_eq!(code(confined.read(file, 5).unwrap_err()), ErrorCode::TooLarge);
    assert_eq!(code(confined.list(Path::new(""), 1).unwrap_err()), ErrorCode::TooLarge);
    assert_eq!(code(confined.read(Path::new("sub"), 5).unwrap_err()), ErrorCode::Malformed);
    assert_eq!(
        code(confined.write(Path::new("sub"), b"", Durability::KillSafe).unwrap_err()),
        ErrorCode::Malformed
    );
    assert!(confined.write(Path::new("file/below"), b"", Durability::KillSafe).is_err());
    assert!(Confined::open(Path::new("/no/such/folder")).is_err());
}

#[test]
fn no_path_leads_out() {
    let (dir, confined) = scene();
    let outside = dir.path().join("secret");
    let paths = ["../secret", "sub/../../secret", "..", "sub/../file", outside.to_str().unwrap()];
    for path in paths.map(Path::new) {
        refused(confined.read(path, 9).unwrap_err());
        refused(confined.write(path, b"taken", Durability::KillSafe).unwrap_err());
        refused(confined.list(path, 9).unwrap_err());
    }
    refused(confined.write(Path::new(""), b"taken", Durability::KillSafe).unwrap_err());
    assert_eq!(fs::read(outside).unwrap(), b"secret");
}

#[cfg(unix)]
#[test]
fn no_link_leads_out() {
    use std::os::unix::fs::symlink;
    let (dir, confined) = scene();
    let inside = dir.path().join("in");
    symlink("../secret", inside.join("relative")).unwrap();
    symlink(dir.path().join("secret"), inside.join("absolute")).unwrap();
    symlink("..", inside.join("up")).unwrap();
    symlink(dir.path(), inside.join("up-absolute")).unwrap();
    for path in ["relative", "absolute", "up/secret", "up-absolute/secret"].map(Path::new) {
        refused(confined.read(path, 9).unwrap_err());
    }
    for path in ["up/secret", "up-absolute/secret", "up/new"].map(Path::new) {
        refused(confined.write(path, b"taken", Durability::KillSafe).unwrap_err());
    }
    for path in ["up", "up-absolute"].map(Path::new) {
        refused(confined.list(path, 9).unwrap_err());
    }
    // A link at the path of the file is replaced, not followed.
    confined.write(Path::new("relative"), b"mine", Durability::KillSafe).unwrap();
    assert_eq!(fs::read(inside.join("relative")).unwrap(), b"mine");
    assert_eq!(fs::read(dir.path().join("secret")).unwrap(), b"secret");
    assert!(!dir.path().join("new").exists());
}

#[cfg(unix)]
#[test]
fn a_link_that_stays_inside_is_followed() {
    let (dir, confined) = scene();
    std::os::unix::fs::symlink("../file", dir.path().join("in/sub/link")).unwrap();
    assert_eq!(confined.read(Path::new("sub/link"), 9).unwrap().unwrap(), b"inside");
}

#[cfg(unix)]
#[test]
fn pipes_are_refused_and_permissions_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, confined) = scene();
    let script = dir.path().join("in/file");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).unwrap();
    confined.write(Path::new("file"), b"#!/bin/sh", Durability::KillSafe).unwrap();
    assert_eq!(fs::metadata(&script).unwrap().permissions().mode() & 0o777, 0o750);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        dir.path().join("in/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let error = confined.read(Path::new("pipe"), 9).unwrap_err();
    assert_eq!(Problem::from(error).code, ErrorCode::Malformed);
}
