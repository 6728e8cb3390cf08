//! `Confined::reach`: returns the real path and rejects everything outside.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use tarsus_home::files::{Confined, FileError, FileId, Reached};
use tempfile::TempDir;

/// A folder `in` with a secret beside it, and its real path.
fn scene() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().canonicalize().unwrap().join("in");
    fs::create_dir_all(inside.join("sub/deep")).unwrap();
    fs::write(dir.path().join("secret"), b"secret").unwrap();
    fs::write(inside.join("sub/file"), b"inside").unwrap();
    (dir, inside)
}

fn reach(inside: &Path, path: &str) -> Result<Option<Reached>, FileError> {
    Confined::open_real(inside).unwrap().reach(Path::new(path))
}

#[test]
fn reach_returns_real_path_and_identity() {
    let (_dir, inside) = scene();
    symlink("../file", inside.join("sub/deep/link")).unwrap();
    symlink(inside.join("sub"), inside.join("absolute")).unwrap();
    symlink("absolute/deep/link", inside.join("chain")).unwrap();
    fs::hard_link(inside.join("sub/file"), inside.join("second")).unwrap();
    let real = inside.join("sub/file");
    let found = fs::metadata(&real).unwrap();
    for path in ["sub/file", "./sub/./file", "sub/deep/../file", "sub/deep/link", "absolute/file", "chain"] {
        let mut reached = reach(&inside, path).unwrap().unwrap();
        let mut text = String::new();
        reached.file.read_to_string(&mut text).unwrap();
        assert_eq!(
            (text.as_str(), &reached.path, reached.size, reached.names),
            ("inside", &real, 6, 2),
            "{path}"
        );
        assert_eq!(reached.id, Some(FileId { device: found.dev(), inode: found.ino() }));
    }
    for path in ["none", "none/file", "sub/file/below", "sub/deep/none"] {
        assert!(reach(&inside, path).unwrap().is_none(), "{path}");
    }
    for path in ["sub", "", ".", "sub/deep/.."] {
        assert!(matches!(reach(&inside, path), Err(FileError::NotAFile { .. })), "{path}");
    }
}

#[test]
fn reach_rejects_paths_that_lead_out() {
    let (dir, inside) = scene();
    let outside = dir.path().canonicalize().unwrap().join("secret");
    symlink("../secret", inside.join("relative")).unwrap();
    symlink(&outside, inside.join("absolute")).unwrap();
    symlink("..", inside.join("up")).unwrap();
    symlink("/proc/self/root", inside.join("root")).unwrap();
    symlink(inside.join("../secret"), inside.join("climb")).unwrap();
    let paths = [
        "..",
        "../secret",
        "sub/../../secret",
        "../in/sub/file",
        outside.to_str().unwrap(),
        "relative",
        "absolute",
        "up/secret",
        "root/etc/passwd",
        "climb",
    ];
    for path in paths {
        assert!(matches!(reach(&inside, path), Err(FileError::Outside { .. })), "{path}");
    }
    symlink("round", inside.join("round")).unwrap();
    assert!(reach(&inside, "round").unwrap_err().to_string().ends_with("its links lead in a circle"));
}

#[test]
fn open_real_rejects_a_folder_that_became_a_link() {
    let (dir, inside) = scene();
    let other = dir.path().canonicalize().unwrap().join("other");
    fs::rename(&inside, &other).unwrap();
    symlink(&other, &inside).unwrap();
    assert!(matches!(Confined::open_real(&inside), Err(FileError::Outside { .. })));
    assert!(matches!(Confined::open_real(&inside.join("sub")), Err(FileError::Outside { .. })));
    assert!(Confined::open_real(&other.join("sub")).is_ok());
    assert!(matches!(Confined::open_real(&other.join("sub/file")), Err(FileError::System { .. })));
    assert!(Confined::open_real(&other.join("none")).is_err());
    assert!(Confined::open_real(Path::new("relative/../path")).is_err());
}
