//! What was found in folders, kept on disk by the hash of the folder and of the rules, so that nothing is looked into
//! twice and nothing is told twice.
//!
//! Promises: replaced as a whole; a file that is missing, damaged or made with other rules counts as empty; bounded.
//! Leaves to others: whether a folder is still what it was, and who is told.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsus_home::Home;
use tarsus_home::files::{self, FileError, Locked};

use super::kept::{self, Folders, Known, MOST_FOLDERS};
use super::stamp::Lasting;
use super::{Blocked, Examined};

/// No file of ours is larger.
const MOST_BYTES: u64 = 128 * 1024 * 1024;

/// What is known of folders.
#[derive(Debug, Default)]
pub struct Cache {
    folders: Folders,
    results: HashMap<String, Arc<Examined>>,
    /// What is not on disk yet.
    unsaved: HashSet<PathBuf>,
}

impl Cache {
    /// What is on disk for these rules.
    pub fn load(home: &Home, ruleset: &str) -> Self {
        let bytes = files::read(&place(home), MOST_BYTES).ok().flatten().unwrap_or_default();
        let folders = kept::read(&bytes, ruleset).unwrap_or_default();
        let result = |known: &Known| (known.examined.report.hash.clone(), Arc::clone(&known.examined));
        let results = folders.values().map(result).collect();
        Self { folders, results, unsaved: HashSet::new() }
    }

    /// What was found in a folder that is still as it was.
    pub fn unchanged(&self, folder: &Path) -> Option<&Arc<Examined>> {
        let known = self.folders.get(folder)?;
        known.stamp.as_ref()?.still_holds(folder).then_some(&known.examined)
    }

    /// What was found in any folder with these contents.
    pub fn result(&self, hash: &str) -> Option<&Arc<Examined>> {
        self.results.get(hash)
    }

    /// Remembers a folder. `stamp` was taken before it was read, and tells later changes.
    pub fn keep(&mut self, folder: &Path, stamp: Option<Lasting>, examined: &Arc<Examined>) {
        let hash = &examined.report.hash;
        let told = self.is_told(folder, hash);
        let known = Known { stamp, examined: Arc::clone(examined), told };
        if self.folders.get(folder) == Some(&known) {
            return;
        }
        self.results.insert(hash.clone(), Arc::clone(examined));
        self.unsaved.insert(folder.to_path_buf());
        self.folders.insert(folder.to_path_buf(), known);
    }

    /// Forgets folders that are gone once there are many, and results that no folder has: whoever runs for long sees
    /// many.
    fn bound(&mut self) {
        if self.folders.len() > MOST_FOLDERS {
            self.folders.retain(|folder, _| folder.is_dir());
        }
        if self.results.len() > self.folders.len() {
            let used: HashSet<&str> =
                self.folders.values().map(|known| known.examined.report.hash.as_str()).collect();
            self.results.retain(|hash, _| used.contains(hash.as_str()));
        }
    }

    /// Whether it was told that a folder must not be used as it is.
    pub fn is_told(&self, folder: &Path, hash: &str) -> bool {
        is_told(&self.folders, folder, hash)
    }

    /// Has those told of whom nobody told yet; nobody else does meanwhile. They count as told once `write` says so.
    ///
    /// # Errors
    /// When the file cannot be locked or written: they are told all the same, and maybe again another time.
    pub fn tell(
        &mut self,
        home: &Home,
        ruleset: &str,
        mut blocked: Vec<Blocked>,
        write: impl FnOnce(&[Blocked]) -> bool,
    ) -> Result<(), FileError> {
        if !is_there(home) {
            return Ok(());
        }
        let file = Locked::take(&place(home));
        if let Ok(file) = &file {
            let kept = read(file, ruleset);
            let (told, untold) =
                blocked.into_iter().partition(|one| is_told(&kept, &one.folder, &one.report.hash));
            blocked = untold;
            self.mark(told);
        }
        if !blocked.is_empty() && write(&blocked) {
            self.mark(blocked);
        }
        self.write(&file?, ruleset)
    }

    fn mark(&mut self, told: Vec<Blocked>) {
        for Blocked { folder, report, .. } in told {
            let known = self.folders.get_mut(&folder);
            if let Some(known) = known.filter(|known| known.examined.report.hash == report.hash) {
                known.told = true;
                self.unsaved.insert(folder);
            }
        }
    }

    /// Writes down what is new, beside what others wrote meanwhile.
    ///
    /// # Errors
    /// When the file cannot be written: what is new stays to be written, and is found again otherwise.
    pub fn save(&mut self, home: &Home, ruleset: &str) -> Result<(), FileError> {
        self.bound();
        if self.unsaved.is_empty() || !is_there(home) {
            return Ok(());
        }
        self.write(&Locked::take(&place(home))?, ruleset)
    }

    fn write(&mut self, file: &Locked, ruleset: &str) -> Result<(), FileError> {
        if self.unsaved.is_empty() {
            return Ok(());
        }
        let mut kept = read(file, ruleset);
        for path in &self.unsaved {
            if let Some(known) = self.folders.get(path) {
                let told = known.told || is_told(&kept, path, &known.examined.report.hash);
                kept.insert(path.clone(), Known { told, ..known.clone() });
            }
        }
        // It can always be made again.
        file.replace_soon(&kept::written(&kept, ruleset))?;
        self.unsaved.clear();
        Ok(())
    }
}

/// A state folder that somebody took away is not made again for this.
fn is_there(home: &Home) -> bool {
    home.state_dir().is_dir()
}

fn is_told(folders: &Folders, folder: &Path, hash: &str) -> bool {
    folders.get(folder).is_some_and(|known| known.told && known.examined.report.hash == hash)
}

fn read(file: &Locked, ruleset: &str) -> Folders {
    let bytes = file.read(MOST_BYTES).ok().flatten().unwrap_or_default();
    kept::read(&bytes, ruleset).unwrap_or_default()
}

/// Where the file is.
pub fn place(home: &Home) -> PathBuf {
    home.own_dir().join("scan-cache.json")
}

#[cfg(test)]
mod tests {
    use tarsus_protocol::scan::{ScanReport, ScanVerdict};

    use super::*;

    fn examined(hash: String) -> Arc<Examined> {
        let (path, ruleset) = (String::new(), "rules".to_owned());
        let (uses, findings) = (Vec::new(), Vec::new());
        let report = ScanReport { path, verdict: ScanVerdict::Clean, hash, ruleset, uses, findings };
        Arc::new(Examined { texts: Vec::new(), report })
    }

    #[test]
    fn a_folder_that_changes_again_and_again_leaves_one_result() {
        let folder = tempfile::tempdir().unwrap();
        let choice = tarsus_home::Choice { state_flag: Some(folder.path().into()), ..Default::default() };
        let home = Home::locate(&choice).unwrap();
        let mut cache = Cache::default();
        cache.keep(Path::new("/other"), None, &examined("other".to_owned()));
        for number in 0..9 {
            cache.keep(Path::new("/x"), None, &examined(number.to_string()));
            cache.save(&home, "rules").unwrap();
        }
        let mut hashes: Vec<_> = cache.results.keys().map(String::as_str).collect();
        hashes.sort_unstable();
        assert_eq!(hashes, ["8", "other"]);
        assert_eq!(Cache::load(&home, "rules").folders, cache.folders);
    }
}
