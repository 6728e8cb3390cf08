//! PATH look-up with real folders.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests make the programs they look for")]

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

#[test]
fn the_first_folder_that_has_the_program_wins() {
    let root = tempfile::tempdir().unwrap();
    let (a, b, missing) = (root.path().join("a"), root.path().join("乙 b"), root.path().join("no"));
    let in_a = program(&a, "tool");
    program(&b, "tool");
    let only_b = program(&b, "other");
    let search = SearchPath::new(&path_of(&[&missing, &a, &b, &a]), None);
    for (name, expected) in [("tool", Some(in_a)), ("other", Some(only_b)), ("none", None)] {
        assert_eq!(search.find(name), expected, "{name}");
    }
}

#[test]
fn names_with_a_separator_are_never_found() {
    let root = tempfile::tempdir().unwrap();
    let full = program(&root.path().join("sub"), "tool");
    let search = SearchPath::new(&path_of(&[root.path()]), None);
    for name in ["sub/tool", "./sub/tool", "../sub/tool", full.to_str().unwrap(), "", ".", ".."] {
        assert_eq!(search.find(name), None, "{name:?}");
    }
}

#[test]
fn a_folder_is_listed_once_and_answers_stay_the_same() {
    let root = tempfile::tempdir().unwrap();
    let tool = program(root.path(), "tool");
    let search = SearchPath::new(&path_of(&[root.path()]), None);
    assert_eq!(search.find("tool"), Some(tool.clone()));

    let late = program(root.path(), "late");
    fs::remove_file(&tool).unwrap();
    assert_eq!(search.find("late"), None, "the listing is not repeated");
    assert_eq!(search.find("tool"), Some(tool), "nor is the answer");
    let again = SearchPath::new(&path_of(&[root.path()]), None);
    assert_eq!((again.find("late"), again.find("tool")), (Some(late), None));
}

#[test]
fn folders_are_no_programs() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join(named("tool"))).unwrap();
    assert_eq!(SearchPath::new(&path_of(&[root.path()]), None).find("tool"), None);
}

#[cfg(unix)]
#[test]
fn only_what_may_be_executed_is_a_program_links_included() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let root = tempfile::tempdir().unwrap();
    let tool = program(root.path(), "tool");
    fs::write(root.path().join("text"), "").unwrap();
    symlink(&tool, root.path().join("link")).unwrap();
    symlink("nowhere", root.path().join("dangling")).unwrap();
    fs::set_permissions(root.path().join("text"), PermissionsExt::from_mode(0o644)).unwrap();

    let search = SearchPath::new(&path_of(&[root.path()]), None);
    let found = ["tool", "link", "text", "dangling"].map(|name| search.find(name));
    assert_eq!(found, [Some(tool), Some(root.path().join("link")), None, None]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_be_entered_but_not_listed_is_searched_too() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let tool = program(root.path(), "tool");
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o711)).unwrap();
    let search = SearchPath::new(&path_of(&[root.path()]), None);
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o311)).unwrap();
    assert_eq!((search.find("tool"), search.find("none")), (Some(tool), None));
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(windows)]
#[test]
fn windows_names_are_completed_by_pathext_in_its_order_whatever_their_case() {
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
