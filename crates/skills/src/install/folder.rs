//! A folder on this machine, read whole before anything of it is installed.

use std::path::Path;

use tarsus_home::files::{Confined, FileError, Kind};
use tarsus_scan::ScanLimits;

use super::contents::{Contents, ToInstall, Unfit};

/// A folder that cannot be installed.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// What is in it is not installed.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}

/// Everything in a folder.
///
/// # Errors
/// When something in it cannot be read, is neither file nor folder, or there is too much of it.
pub fn read(folder: &Path, limits: &ScanLimits) -> Result<Contents, FolderError> {
    let mut contents = Contents::default();
    take(&Confined::open(folder)?, folder, "", limits, &mut contents)?;
    Ok(contents)
}

fn take(
    inside: &Confined,
    folder: &Path,
    below: &str,
    limits: &ScanLimits,
    contents: &mut Contents,
) -> Result<(), FolderError> {
    let listed = inside.list(Path::new(below), limits.entries).map_err(|error| match error {
        FileError::TooMany { .. } => Unfit::TooMany { most: limits.entries }.into(),
        other => FolderError::File(other),
    })?;
    for entry in listed {
        let path = if below.is_empty() { entry.name } else { format!("{below}/{}", entry.name) };
        let found = match entry.kind {
            Kind::Folder => {
                // Checked before it is entered: this is what bounds the depth.
                contents.folder(&path, limits)?;
                take(inside, folder, &path, limits, contents)?;
                continue;
            }
            Kind::File => {
                let program = is_program(&folder.join(&path));
                let bytes =
                    inside.read(Path::new(&path), contents.room(limits)).map_err(|error| match error {
                        FileError::TooLarge { .. } => Unfit::TooLarge { most: limits.total }.into(),
                        other => FolderError::File(other),
                    })?;
                // Gone since it was listed.
                if let Some(bytes) = bytes {
                    contents.file(&path, ToInstall { bytes, program }, limits)?;
                }
                continue;
            }
            Kind::Link => "link",
            Kind::Other => "device, pipe or socket",
        };
        return Err(Unfit::NotAFile { path, found }.into());
    }
    Ok(())
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.symlink_metadata().is_ok_and(|found| found.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_program(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests make their own files")]

    use std::fs;

    use super::*;

    #[test]
    fn a_folder_is_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("scripts")).unwrap();
        fs::write(folder.path().join("SKILL.md"), "text").unwrap();
        fs::write(folder.path().join("scripts/run.py"), "print()").unwrap();
        let contents = read(folder.path(), &ScanLimits::default()).unwrap();
        assert_eq!(contents.files().keys().collect::<Vec<_>>(), ["SKILL.md", "scripts/run.py"]);
        assert_eq!(contents.bytes(), 11);
        let small = ScanLimits { total: 10, ..ScanLimits::default() };
        let error = read(folder.path(), &small).unwrap_err();
        assert!(matches!(error, FolderError::Unfit(Unfit::TooLarge { most: 10 })), "{error}");
        let few = ScanLimits { entries: 2, ..ScanLimits::default() };
        let error = read(folder.path(), &few).unwrap_err();
        assert!(matches!(error, FolderError::Unfit(Unfit::TooMany { most: 2 })), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_named_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("SKILL.md"), "text").unwrap();
        std::os::unix::fs::symlink("SKILL.md", folder.path().join("link")).unwrap();
        let error = read(folder.path(), &ScanLimits::default()).unwrap_err();
        assert!(
            matches!(&error, FolderError::Unfit(Unfit::NotAFile { path, found: "link" }) if path == "link"),
            "{error}"
        );
    }
}
