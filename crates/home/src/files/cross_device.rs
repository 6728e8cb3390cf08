//! Moves a folder to another file system, where a rename is not possible.
//!
//! At every moment the folder is complete at its old or its new path; an unfinished copy is never visible under the
//! final name. Links are not followed. Owners and times are not preserved.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::error::{FileError, FileOperation};
use super::folder::{remove_folder, rename_no_replace};
use super::plain::parent_folder;
use super::retry::retry_while_open;
use super::sync;

/// Maximum number of files and folders in one copy.
const MAX_ENTRIES: usize = 100_000;
/// Maximum nesting of folders.
const MAX_DEPTH: usize = 100;

/// Copies `from` to a hidden sibling of `to`, renames the copy to `to`, and removes the original. Durable on return.
pub(super) fn move_across_devices(from: &Path, to: &Path) -> Result<(), FileError> {
    let copy = hidden_sibling(to, "copying");
    // A leftover of a killed process.
    remove_folder(&copy)?;
    let mut remaining = MAX_ENTRIES;
    let copied = copy_folder(from, &copy, MAX_DEPTH, &mut remaining).and_then(|()| {
        rename_no_replace(&copy, to).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => FileError::Exists { path: to.to_path_buf() },
            _ => FileError::system(FileOperation::Move, from)(error),
        })
    });
    if let Err(error) = copied {
        // Best effort: the next move removes leftovers.
        remove_folder(&copy).ok();
        return Err(error);
    }
    let hid = sync_folder(parent_folder(to)).and_then(|()| hide(from));
    let old = hid.inspect_err(|_| {
        // The original is complete: remove the copy.
        remove_folder(to).ok();
    })?;
    sync_folder(parent_folder(from))?;
    // Best effort: the folder is hidden, and the next move from here removes leftovers.
    remove_folder(&old).ok();
    Ok(())
}

/// Hides a folder in one step before it is removed, so that a partial one is never visible.
fn hide(folder: &Path) -> Result<PathBuf, FileError> {
    let old = hidden_sibling(folder, "moved");
    remove_folder(&old)?;
    retry_while_open(|| fs::rename(folder, &old))
        .map_err(FileError::system(FileOperation::Remove, folder))?;
    Ok(old)
}

fn hidden_sibling(path: &Path, suffix: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{suffix}"))
}

fn copy_folder(from: &Path, to: &Path, depth: usize, remaining: &mut usize) -> Result<(), FileError> {
    let too_many = || FileError::TooMany { path: from.to_path_buf(), limit: MAX_ENTRIES };
    let depth = depth.checked_sub(1).ok_or_else(too_many)?;
    fs::create_dir(to).map_err(FileError::system(FileOperation::MakeFolder, to))?;
    for entry in fs::read_dir(from).map_err(FileError::system(FileOperation::List, from))? {
        *remaining = remaining.checked_sub(1).ok_or_else(too_many)?;
        let entry = entry.map_err(FileError::system(FileOperation::List, from))?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(FileError::system(FileOperation::Read, &old))?;
        if kind.is_dir() {
            copy_folder(&old, &new, depth, remaining)?;
        } else if kind.is_symlink() {
            copy_link(&old, &new).map_err(FileError::system(FileOperation::Move, &old))?;
        } else if kind.is_file() {
            copy_file(&old, &new).map_err(FileError::system(FileOperation::Move, &old))?;
        } else {
            return Err(FileError::NotAFile {
                operation: FileOperation::Move,
                path: old,
                found: "device, pipe or socket",
            });
        }
    }
    let permissions = fs::metadata(from).map_err(FileError::system(FileOperation::Read, from))?.permissions();
    sync_folder(to)?;
    fs::set_permissions(to, permissions).map_err(FileError::system(FileOperation::Write, to))
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    // Windows syncs only files that are open for writing.
    let open = if cfg!(unix) { File::open(to) } else { File::options().write(true).open(to) };
    sync::file(&open?)
}

#[cfg(unix)]
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(from)?, to)
}

#[cfg(not(unix))]
fn copy_link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "a link is not moved to another disk"))
}

fn sync_folder(folder: &Path) -> Result<(), FileError> {
    sync::folder(folder).map_err(FileError::system(FileOperation::Move, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(at: &Path) {
        fs::create_dir_all(at.join("deep/er")).unwrap();
        fs::write(at.join("deep/er/run.sh"), "echo").unwrap();
        fs::write(at.join(".hidden"), "text").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(at.join("deep/er/run.sh"), PermissionsExt::from_mode(0o750)).unwrap();
            std::os::unix::fs::symlink("/no/such/file", at.join("link")).unwrap();
        }
    }

    fn is_complete(at: &Path) -> bool {
        let texts = [("deep/er/run.sh", "echo"), (".hidden", "text")];
        texts.iter().all(|(path, text)| fs::read_to_string(at.join(path)).unwrap() == *text)
            && has_unix_metadata(at)
    }

    #[cfg(unix)]
    fn has_unix_metadata(at: &Path) -> bool {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(at.join("deep/er/run.sh")).unwrap().permissions().mode();
        mode & 0o777 == 0o750 && fs::read_link(at.join("link")).unwrap() == Path::new("/no/such/file")
    }

    #[cfg(not(unix))]
    fn has_unix_metadata(_: &Path) -> bool {
        true
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_move_is_complete_and_leaves_nothing_behind() {
        let home = tempfile::tempdir().unwrap();
        let (from, to) = (home.path().join("a/x"), home.path().join("b/y"));
        make(&from);
        // Leftovers of a killed process.
        fs::create_dir_all(home.path().join("b/.y.copying/half")).unwrap();
        fs::create_dir_all(home.path().join("a/.x.moved/half")).unwrap();
        move_across_devices(&from, &to).unwrap();
        assert!(is_complete(&to));
        assert_eq!(
            (names(&home.path().join("a")), names(&home.path().join("b"))),
            (vec![], vec!["y".into()])
        );
    }

    #[test]
    fn a_failed_move_keeps_the_original() {
        let home = tempfile::tempdir().unwrap();
        let (from, to) = (home.path().join("a/x"), home.path().join("b/y"));
        make(&from);
        fs::create_dir_all(&to).unwrap();
        assert!(matches!(move_across_devices(&from, &to), Err(FileError::Exists { .. })));
        #[cfg(unix)]
        {
            fs::remove_dir(&to).unwrap();
            let _socket = std::os::unix::net::UnixListener::bind(from.join("socket")).unwrap();
            assert!(matches!(move_across_devices(&from, &to), Err(FileError::NotAFile { .. })));
            assert_eq!(names(&home.path().join("b")), [""; 0]);
        }
        assert!(is_complete(&from));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_moved_to_another_file_system() {
        use std::os::unix::fs::MetadataExt;
        let home = tempfile::tempdir().unwrap();
        let Ok(other) = tempfile::tempdir_in("/dev/shm") else { return eprintln!("no /dev/shm here") };
        let device = |path: &Path| fs::metadata(path).unwrap().dev();
        if device(home.path()) == device(other.path()) {
            return eprintln!("/dev/shm is the same file system");
        }
        let (from, to) = (other.path().join("x"), home.path().join("new/x"));
        make(&from);
        super::super::move_folder(&from, &to).unwrap();
        assert!(is_complete(&to) && !from.exists());
        make(&from);
        let again = super::super::move_folder(&from, &to);
        assert!(matches!(again, Err(FileError::Exists { .. })) && is_complete(&from));
    }
}
