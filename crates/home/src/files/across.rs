//! Moving a folder to another file system, where a rename is not enough.
//!
//! Promises: the folder is whole in its old place or in the new one at every moment, for a while in both; a copy that was
//! not finished is never seen under its name; no link is followed. Leaves to others: what is kept of owners and times.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::error::{Doing, FileError};
use super::folder::{remove_folder, rename_to_nothing};
use super::patience::patiently;
use super::plain::folder_of;
use super::sync;

/// Files and folders of one folder that is copied.
const MOST_ENTRIES: usize = 100_000;
/// Folders inside folders.
const DEEPEST: usize = 100;

/// Copies `from` beside `to`, puts the copy in its place, and takes the original away. Permanent when this returns.
pub(super) fn move_across(from: &Path, to: &Path) -> Result<(), FileError> {
    let copy = hidden(to, "copying");
    // Left by one that was killed.
    remove_folder(&copy)?;
    let mut left = MOST_ENTRIES;
    let copied = copy_folder(from, &copy, DEEPEST, &mut left).and_then(|()| {
        rename_to_nothing(&copy, to).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => FileError::Exists { path: to.to_path_buf() },
            _ => FileError::system(Doing::Move, from)(error),
        })
    });
    if let Err(error) = copied {
        // Nothing else can be done about what cannot be removed; the next one clears it.
        remove_folder(&copy).ok();
        return Err(error);
    }
    let hid = synced(folder_of(to)).and_then(|()| hide(from));
    let old = hid.inspect_err(|_| {
        // The original is whole, and one is enough.
        remove_folder(to).ok();
    })?;
    synced(folder_of(from))?;
    // Out of sight; what cannot be removed now is cleared by whoever moves the next one from there.
    remove_folder(&old).ok();
    Ok(())
}

/// Takes a folder out of sight in one step: half of one would be taken for a whole one.
fn hide(folder: &Path) -> Result<PathBuf, FileError> {
    let old = hidden(folder, "moved");
    remove_folder(&old)?;
    patiently(|| fs::rename(folder, &old)).map_err(FileError::system(Doing::Remove, folder))?;
    Ok(old)
}

/// A name beside a path that nobody looks at.
fn hidden(path: &Path, what: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{what}"))
}

fn copy_folder(from: &Path, to: &Path, depth: usize, left: &mut usize) -> Result<(), FileError> {
    let too_many = || FileError::TooMany { path: from.to_path_buf(), limit: MOST_ENTRIES };
    let depth = depth.checked_sub(1).ok_or_else(too_many)?;
    fs::create_dir(to).map_err(FileError::system(Doing::MakeFolder, to))?;
    for entry in fs::read_dir(from).map_err(FileError::system(Doing::List, from))? {
        *left = left.checked_sub(1).ok_or_else(too_many)?;
        let entry = entry.map_err(FileError::system(Doing::List, from))?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(FileError::system(Doing::Read, &old))?;
        if kind.is_dir() {
            copy_folder(&old, &new, depth, left)?;
        } else if kind.is_symlink() {
            copy_link(&old, &new).map_err(FileError::system(Doing::Move, &old))?;
        } else if kind.is_file() {
            copy_file(&old, &new).map_err(FileError::system(Doing::Move, &old))?;
        } else {
            return Err(FileError::NotAFile {
                doing: Doing::Move,
                path: old,
                found: "device, pipe or socket",
            });
        }
    }
    let permissions = fs::metadata(from).map_err(FileError::system(Doing::Read, from))?.permissions();
    synced(to)?;
    fs::set_permissions(to, permissions).map_err(FileError::system(Doing::Write, to))
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    // A file that may not be written to can be synced all the same on Unix, and not on Windows.
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

fn synced(folder: &Path) -> Result<(), FileError> {
    sync::folder(folder).map_err(FileError::system(Doing::Move, folder))
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

    fn is_whole(at: &Path) -> bool {
        let texts = [("deep/er/run.sh", "echo"), (".hidden", "text")];
        texts.iter().all(|(path, text)| fs::read_to_string(at.join(path)).unwrap() == *text)
            && is_as_unix_has_it(at)
    }

    #[cfg(unix)]
    fn is_as_unix_has_it(at: &Path) -> bool {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(at.join("deep/er/run.sh")).unwrap().permissions().mode();
        mode & 0o777 == 0o750 && fs::read_link(at.join("link")).unwrap() == Path::new("/no/such/file")
    }

    #[cfg(not(unix))]
    fn is_as_unix_has_it(_: &Path) -> bool {
        true
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_arrives_whole_and_leaves_nothing_behind() {
        let home = tempfile::tempdir().unwrap();
        let (from, to) = (home.path().join("a/x"), home.path().join("b/y"));
        make(&from);
        // What one left that was killed before.
        fs::create_dir_all(home.path().join("b/.y.copying/half")).unwrap();
        fs::create_dir_all(home.path().join("a/.x.moved/half")).unwrap();
        move_across(&from, &to).unwrap();
        assert!(is_whole(&to));
        assert_eq!(
            (names(&home.path().join("a")), names(&home.path().join("b"))),
            (vec![], vec!["y".into()])
        );
    }

    #[test]
    fn what_cannot_arrive_stays_where_it_is() {
        let home = tempfile::tempdir().unwrap();
        let (from, to) = (home.path().join("a/x"), home.path().join("b/y"));
        make(&from);
        fs::create_dir_all(&to).unwrap();
        assert!(matches!(move_across(&from, &to), Err(FileError::Exists { .. })));
        #[cfg(unix)]
        {
            fs::remove_dir(&to).unwrap();
            let _socket = std::os::unix::net::UnixListener::bind(from.join("socket")).unwrap();
            assert!(matches!(move_across(&from, &to), Err(FileError::NotAFile { .. })));
            assert_eq!(names(&home.path().join("b")), [""; 0]);
        }
        assert!(is_whole(&from));
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
        assert!(is_whole(&to) && !from.exists());
        make(&from);
        let again = super::super::move_folder(&from, &to);
        assert!(matches!(again, Err(FileError::Exists { .. })) && is_whole(&from));
    }
}
