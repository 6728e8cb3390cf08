//! Reads a folder completely before anything of it is installed.

use std::path::Path;

use tarsus_home::files::{Confined, FileError, FileKind};
use tarsus_scan::ScanLimits;

use super::contents::{Contents, ContentsError, InstallFile};

/// Why a folder cannot be installed.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Its contents cannot be installed.
    #[error(transparent)]
    Contents(#[from] ContentsError),
}

/// Reads all files of a folder.
///
/// # Errors
/// If something cannot be read, is neither a file nor a folder, or exceeds the limits.
pub fn read(folder: &Path, limits: &ScanLimits) -> Result<Contents, FolderError> {
    let mut contents = Contents::default();
    read_below(&Confined::open(folder)?, folder, "", limits, &mut contents)?;
    Ok(contents)
}

fn read_below(
    inside: &Confined,
    folder: &Path,
    below: &str,
    limits: &ScanLimits,
    contents: &mut Contents,
) -> Result<(), FolderError> {
    let listed = inside.list(Path::new(below), limits.entries).map_err(|error| match error {
        FileError::TooMany { .. } => ContentsError::TooMany { most: limits.entries }.into(),
        other => FolderError::File(other),
    })?;
    for entry in listed {
        let path = if below.is_empty() { entry.name } else { format!("{below}/{}", entry.name) };
        let found = match entry.kind {
            FileKind::Folder => {
                // Checked before it is entered, which bounds the depth.
                contents.add_folder(&path, limits)?;
                read_below(inside, folder, &path, limits, contents)?;
                continue;
            }
            FileKind::File => {
                let executable = is_executable(&folder.join(&path));
                let bytes =
                    inside.read(Path::new(&path), contents.room(limits)).map_err(|error| match error {
                        FileError::TooLarge { .. } => ContentsError::TooLarge { most: limits.total }.into(),
                        other => FolderError::File(other),
                    })?;
                // Deleted since it was listed.
                if let Some(bytes) = bytes {
                    contents.add_file(&path, InstallFile { bytes, executable }, limits)?;
                }
                continue;
            }
            FileKind::Link => "link",
            FileKind::Other => "device, pipe or socket",
        };
        return Err(ContentsError::NotAFile { path, found }.into());
    }
    Ok(())
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.symlink_metadata().is_ok_and(|found| found.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests make their own files")]

    use std::fs;

    use super::*;

    #[test]
    fn folder_is_read_completely() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("scripts")).unwrap();
        fs::write(folder.path().join("SKILL.md"), "text").unwrap();
        fs::write(folder.path().join("scripts/run.py"), "print()").unwrap();
        let contents = read(folder.path(), &ScanLimits::default()).unwrap();
        assert_eq!(contents.files().keys().collect::<Vec<_>>(), ["SKILL.md", "scripts/run.py"]);
        assert_eq!(contents.bytes(), 11);
        let small = ScanLimits { total: 10, ..ScanLimits::default() };
        let error = read(folder.path(), &small).unwrap_err();
        assert!(matches!(error, FolderError::Contents(ContentsError::TooLarge { most: 10 })), "{error}");
        let few = ScanLimits { entries: 2, ..ScanLimits::default() };
        let error = read(folder.path(), &few).unwrap_err();
        assert!(matches!(error, FolderError::Contents(ContentsError::TooMany { most: 2 })), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("SKILL.md"), "text").unwrap();
        std::os::unix::fs::symlink("SKILL.md", folder.path().join("link")).unwrap();
        let error = read(folder.path(), &ScanLimits::default()).unwrap_err();
        assert!(
            matches!(&error, FolderError::Contents(ContentsError::NotAFile { path, found: "link" }) if path == "link"),
            "{error}"
        );
    }
}
