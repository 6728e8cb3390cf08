//! The bundled skills: embedded in the program, and unpacked to disk so that agents can read them.
//!
//! The folder that [`ensure`] returns holds exactly the embedded files, even after a crash or with several processes.

use std::path::PathBuf;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};
use tarsus_home::Home;
use tarsus_home::files::{self, FileError};
use tarsus_text::hex;

/// Each file's path and bytes, sorted by path.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// Returns the folder with one subfolder for each version of the bundled skills.
#[must_use]
pub fn folder(home: &Home) -> PathBuf {
    home.own_dir().join("bundled-skills")
}

/// Returns the names of the bundled skills, which are also the names of their folders.
#[must_use]
pub fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| FILES.iter().filter_map(|(path, _)| path.strip_suffix("/SKILL.md")).collect());
    &NAMES
}

/// Unpacks the bundled skills and returns their folder.
///
/// Missing or different files are written, other files are removed. Nothing is written if all files are correct, so the
/// state folder may be read-only then.
///
/// # Errors
/// If a file must be written or removed and cannot be.
pub fn ensure(home: &Home) -> Result<PathBuf, FileError> {
    let all = folder(home);
    let folder = all.join(fingerprint());
    files::bring(&folder, &all.join(".lock"), FILES)?;
    Ok(folder)
}

/// Identifies this version of the files.
fn fingerprint() -> String {
    let mut hash = Sha256::new();
    for (path, bytes) in FILES {
        for part in [path.as_bytes(), bytes] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
    }
    hex(&hash.finalize()[..8])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests make their own files")]

    use std::fs;
    use std::path::Path;

    use tarsus_home::HomeOptions;

    use super::*;
    use crate::{DiscoveredRoot, DiscoveryLimits, Parsed, SkillRoot, SkillSource};

    fn home(folder: &Path) -> Home {
        let choice = HomeOptions { state_flag: Some(folder.to_path_buf()), ..HomeOptions::default() };
        Home::locate(&choice).unwrap()
    }

    fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
        FILES.iter().map(|(path, _)| ((*path).to_owned(), fs::read(folder.join(path)).unwrap())).collect()
    }

    fn embedded() -> Vec<(String, Vec<u8>)> {
        FILES.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect()
    }

    #[test]
    fn ensure_restores_damaged_files_and_removes_others() {
        let state = tempfile::tempdir().unwrap();
        let home = home(state.path());
        let folder = ensure(&home).unwrap();
        assert_eq!(contents(&folder), embedded());

        let (first, _) = FILES[0];
        fs::write(folder.join(first), "another text").unwrap();
        fs::remove_file(folder.join(FILES[1].0)).unwrap();
        fs::create_dir(folder.join("stranger")).unwrap();
        fs::write(folder.join("stranger/SKILL.md"), "---\nname: x\ndescription: y\n---\n").unwrap();
        assert_eq!(ensure(&home).unwrap(), folder);
        assert_eq!(contents(&folder), embedded());
        assert!(!folder.join("stranger/SKILL.md").exists());
    }

    #[test]
    fn concurrent_calls_agree() {
        let state = tempfile::tempdir().unwrap();
        let home = home(state.path());
        let folders: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let folder = ensure(&home).unwrap();
                        (contents(&folder), folder)
                    })
                })
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(folders.iter().all(|(found, folder)| *found == embedded() && *folder == folders[0].1));
    }

    #[test]
    fn unwritable_folder_is_named_in_the_error() {
        let state = tempfile::tempdir().unwrap();
        let file = state.path().join("tarsus");
        fs::write(&file, "a file where a folder should be").unwrap();
        let error = ensure(&home(state.path())).unwrap_err().to_string();
        assert!(error.contains(&file.display().to_string()), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "a file where a folder should be");
    }

    #[test]
    fn complete_folder_need_not_be_writable() {
        let state = tempfile::tempdir().unwrap();
        let home = home(state.path());
        let folder = ensure(&home).unwrap();
        // A lock that cannot be taken stands for a folder that cannot be written to, for root too.
        let lock = folder.parent().unwrap().join(".lock");
        fs::remove_file(&lock).unwrap();
        fs::create_dir(&lock).unwrap();
        assert_eq!(ensure(&home).unwrap(), folder);
        fs::write(folder.join(FILES[0].0), "damaged").unwrap();
        assert!(ensure(&home).is_err());
    }

    #[test]
    fn every_bundled_skill_loads() {
        let state = tempfile::tempdir().unwrap();
        let folder = ensure(&home(state.path())).unwrap();
        let discovered = DiscoveredRoot::walk(
            &SkillRoot::new(SkillSource::Bundled, folder, &[]),
            &DiscoveryLimits::default(),
            None,
            0,
        );
        assert_eq!((discovered.skipped.as_slice(), discovered.limits.as_slice()), (&[][..], &[][..]));
        assert_eq!(
            discovered.skills.len(),
            FILES.iter().filter(|(path, _)| path.ends_with("/SKILL.md")).count()
        );
        for found in &discovered.skills {
            assert!(matches!(&*found.parsed, Parsed::Loaded(_)), "{}: {:?}", found.name(), found.parsed);
        }
    }
}
