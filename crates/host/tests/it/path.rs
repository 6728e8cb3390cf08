//! PATH look-up with real folders.

#[cfg(windows)]
use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use tarsus_host::path::SearchPath;

/// A file name as a program has it on this system.
fn named(name: &str) -> String {
    if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() }
}

fn program(folder: &Path, name: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join(named(name));
    fs::write(&path, "").unwrap();
    #[cfg(unix)]
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path
}

fn path_of(folders: &[&Path]) -> OsString {
    std::env::join_paths(folders).unwrap()
}

/// One that was asked for nothing yet, and one that was asked for so many names that it lists the folders from now on.
fn fresh_and_busy(folders: &[&Path]) -> [SearchPath; 2] {
    let [fresh, busy] = [(); 2].map(|()| SearchPath::new(&path_of(folders), None));
    for number in 0..100 {
        assert_eq!(busy.find(&format!("missing-{number}")), None);
    }
    [fresh, busy]
}

#[test]
fn first_folder_with_the_program_wins() {
    let root = tempfile::tempdir().unwrap();
    let (a, b, missing) = (root.path().join("a"), root.path().join("乙 b"), root.path().join("no"));
    let in_a = program(&a, "tool");
    program(&b, "tool");
    let only_b = program(&b, "other");
    for search in fresh_and_busy(&[&missing, &a, &b, &a]) {
        let found = ["tool", "other", "none"].map(|name| search.find(name));
        assert_eq!(found, [Some(in_a.clone()), Some(only_b.clone()), None]);
    }
}

#[cfg(unix)]
#[test]
fn linked_folder_is_searched_once() {
    let root = tempfile::tempdir().unwrap();
    let (real, other) = (root.path().join("usr-bin"), root.path().join("bin"));
    let tool = program(&real, "tool");
    std::os::unix::fs::symlink(&real, &other).unwrap();
    for search in fresh_and_busy(&[&real, &other]) {
        assert_eq!(search.find("tool"), Some(tool.clone()));
    }
    for search in fresh_and_busy(&[&other, &real]) {
        assert_eq!(search.find("tool"), Some(other.join("tool")), "the first name counts");
    }
}

#[test]
fn names_with_a_separator_are_never_found() {
    let root = tempfile::tempdir().unwrap();
    let full = program(&root.path().join("sub"), "tool");
    for search in fresh_and_busy(&[root.path()]) {
        for name in ["sub/tool", "./sub/tool", "../sub/tool", full.to_str().unwrap(), "", ".", ".."] {
            assert_eq!(search.find(name), None, "{name:?}");
        }
    }
}

#[test]
fn folder_is_listed_once() {
    let root = tempfile::tempdir().unwrap();
    let tool = program(root.path(), "tool");
    let searches = fresh_and_busy(&[root.path()]);
    for search in &searches {
        assert_eq!((search.find("tool"), search.find("late")), (Some(tool.clone()), None));
    }
    let late = program(root.path(), "late");
    program(root.path(), "later");
    fs::remove_file(&tool).unwrap();
    for search in &searches {
        assert_eq!((search.find("tool"), search.find("late")), (Some(tool.clone()), None), "answers stay");
    }
    assert_eq!(searches[1].find("later"), None, "the listing is not repeated");
    let again = SearchPath::new(&path_of(&[root.path()]), None);
    assert_eq!((again.find("late"), again.find("tool")), (Some(late), None));
}

#[test]
fn folders_are_no_programs() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join(named("tool"))).unwrap();
    assert_eq!(fresh_and_busy(&[root.path()]).map(|search| search.find("tool")), [None, None]);
}

#[cfg(unix)]
#[test]
fn only_executables_are_programs() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let root = tempfile::tempdir().unwrap();
    let tool = program(root.path(), "tool");
    fs::write(root.path().join("text"), "").unwrap();
    symlink(&tool, root.path().join("link")).unwrap();
    symlink("nowhere", root.path().join("dangling")).unwrap();
    fs::set_permissions(root.path().join("text"), PermissionsExt::from_mode(0o644)).unwrap();

    for search in fresh_and_busy(&[root.path()]) {
        let found = ["tool", "link", "text", "dangling"].map(|name| search.find(name));
        assert_eq!(found, [Some(tool.clone()), Some(root.path().join("link")), None, None]);
    }
}

#[cfg(unix)]
#[test]
fn unlistable_folder_is_searched() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let tool = program(root.path(), "tool");
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o711)).unwrap();
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o311)).unwrap();
    for search in fresh_and_busy(&[root.path()]) {
        assert_eq!((search.find("tool"), search.find("none")), (Some(tool.clone()), None));
    }
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(windows)]
#[test]
fn windows_names_follow_pathext() {
    let root = tempfile::tempdir().unwrap();
    for name in ["Tool.EXE", "tool.cmd", "Script.Py", "readme.txt"] {
        fs::write(root.path().join(name), "").unwrap();
    }
    let path = path_of(&[root.path()]);
    let find = |pathext: Option<&str>, name: &str| {
        let found = SearchPath::new(&path, pathext.map(OsStr::new)).find(name);
        found.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
    };
    for (pathext, name, expected) in [
        (None, "tool", Some("Tool.EXE")),
        (None, "TOOL.exe", Some("Tool.EXE")),
        (Some(".CMD;.EXE"), "tool", Some("tool.cmd")),
        (Some(".py"), "script", Some("Script.Py")),
        (None, "script", None),
        (None, "script.py", None),
        (None, "readme.txt", None),
    ] {
        assert_eq!(find(pathext, name).as_deref(), expected, "{pathext:?} {name}");
    }
}

#[test]
fn modified_folders_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    let look = || SearchPath::new(bin.as_os_str(), None);
    let search = look();
    assert!(search.is_unchanged(), "nothing was looked at");
    assert_eq!(search.find("tool"), None);
    assert!(search.is_unchanged());
    fs::create_dir(&bin).unwrap();
    assert!(!search.is_unchanged());

    let search = look();
    assert_eq!(search.find("tool"), None);
    assert!(search.is_unchanged());
    fs::write(bin.join("tool"), "").unwrap();
    // The clock of the file system may not have moved on.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(10);
    if let Ok(folder) = fs::File::open(&bin) {
        folder.set_modified(later).unwrap();
        assert!(!search.is_unchanged());
    }
}
