//! The skills that Tarsus brings along: in the program, and on disk where agents can read them.
//!
//! Promises: when [`ensure`] returns a folder, it holds exactly the files of this program, whatever happened to it
//! before; a crash or a second process at any moment does no harm. Leaves to others: what to do without the folder.

use std::path::PathBuf;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};
use tarsus_home::Home;
use tarsus_home::files::{self, FileError};
use tarsus_protocol::text::hex;

/// Each file's path and bytes, sorted by path.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// Where they are put, a folder for each version.
#[must_use]
pub fn folder(home: &Home) -> PathBuf {
    home.own_dir().join("bundled-skills")
}

/// Their names: each lies in a folder of its name.
#[must_use]
pub fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| FILES.iter().filter_map(|(path, _)| path.strip_suffix("/SKILL.md")).collect());
    &NAMES
}

/// Makes sure that the bundled skills are on disk as they are in the program, and says where.
///
/// What is missing or different is written, what does not belong there is removed. Where everything is in its place
/// nothing is written, so a state folder that cannot be written to does no harm then.
///
/// # Errors
/// When something has to be written or removed and cannot be.
pub fn ensure(home: &Home) -> Result<PathBuf, FileError> {
    let all = folder(home);
    let folder = all.join(fingerprint());
    files::bring(&folder, &all.join(".lock"), FILES)?;
    Ok(folder)
}

/// What tells these files from those of another version.
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

    use tarsus_home::Choice;

    use super::*;
    use crate::{DiscoveredRoot, Limits, Parsed, Root, Source};

    fn home(folder: &Path) -> Home {
        let choice = Choice { state_flag: Some(folder.to_path_buf()), ..Choice::default() };
        Home::locate(&choice).unwrap()
    }

    fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
        FILES.iter().map(|(path, _)| ((*path).to_owned(), fs::read(folder.join(path)).unwrap())).collect()
    }

    fn embedded() -> Vec<(String, Vec<u8>)> {
        FILES.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect()
    }

    #[test]
    fn what_is_missing_or_damaged_is_restored_and_what_is_not_ours_is_removed() {
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
    fn several_at_once_agree() {
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
    fn without_a_place_to_write_it_says_where_and_harms_nothing() {
        let state = tempfile::tempdir().unwrap();
        let file = state.path().join("tarsus");
        fs::write(&file, "a file where a folder should be").unwrap();
        let error = ensure(&home(state.path())).unwrap_err().to_string();
        assert!(error.contains(&file.display().to_string()), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "a file where a folder should be");
    }

    #[test]
    fn where_everything_is_in_its_place_nothing_need_be_writable() {
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
        let discovered =
            DiscoveredRoot::walk(&Root::new(Source::Bundled, folder, &[]), &Limits::default(), None, 0);
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
