//! The on-disk cache of scan results, keyed by folder hash and ruleset, and of which blocked skills were recorded.
//!
//! The file is replaced atomically and bounded in size. A missing or damaged file, or one of another ruleset, counts as
//! empty.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsus_home::Home;
use tarsus_home::files::{self, FileError, Locked};

use super::cache_file::{self, CachedFolder, Folders, MAX_FOLDERS};
use super::stamp::StableStamp;
use super::{BlockedFolder, FolderScan};

/// Largest cache file that is read.
const MAX_BYTES: u64 = 128 * 1024 * 1024;

/// Cached scan results.
#[derive(Debug, Default)]
pub struct Cache {
    folders: Folders,
    results: HashMap<String, Arc<FolderScan>>,
    /// Folders whose entry is not on disk yet.
    unsaved: HashSet<PathBuf>,
}

impl Cache {
    /// Loads the cache of this ruleset.
    pub fn load(home: &Home, ruleset: &str) -> Self {
        let bytes = files::read(&cache_path(home), MAX_BYTES).ok().flatten().unwrap_or_default();
        let folders = cache_file::decode(&bytes, ruleset).unwrap_or_default();
        let result = |known: &CachedFolder| (known.scan.report.hash.clone(), Arc::clone(&known.scan));
        let results = folders.values().map(result).collect();
        Self { folders, results, unsaved: HashSet::new() }
    }

    /// Returns the result of a folder that has not changed since its scan.
    pub fn find_unchanged(&self, folder: &Path) -> Option<&Arc<FolderScan>> {
        let known = self.folders.get(folder)?;
        known.stamp.as_ref()?.is_current(folder).then_some(&known.scan)
    }

    /// Returns the result of any folder with this content hash.
    pub fn find_by_hash(&self, hash: &str) -> Option<&Arc<FolderScan>> {
        self.results.get(hash)
    }

    /// Stores a result. `stamp` was taken before the folder was read.
    pub fn insert(&mut self, folder: &Path, stamp: Option<StableStamp>, scan: &Arc<FolderScan>) {
        let hash = &scan.report.hash;
        let reported = self.is_reported(folder, hash);
        let known = CachedFolder { stamp, scan: Arc::clone(scan), reported };
        if self.folders.get(folder) == Some(&known) {
            return;
        }
        self.results.insert(hash.clone(), Arc::clone(scan));
        self.unsaved.insert(folder.to_path_buf());
        self.folders.insert(folder.to_path_buf(), known);
    }

    /// Evicts deleted folders once there are too many, and results that no folder refers to. Matters to long-running
    /// processes.
    fn evict(&mut self) {
        if self.folders.len() > MAX_FOLDERS {
            self.folders.retain(|folder, _| folder.is_dir());
        }
        if self.results.len() > self.folders.len() {
            let used: HashSet<&str> =
                self.folders.values().map(|known| known.scan.report.hash.as_str()).collect();
            self.results.retain(|hash, _| used.contains(hash.as_str()));
        }
    }

    /// Whether this blocked content of the folder was recorded.
    pub fn is_reported(&self, folder: &Path, hash: &str) -> bool {
        is_reported(&self.folders, folder, hash)
    }

    /// Records skills not reported yet, under the cache lock. They are marked reported only if `write` returns true.
    ///
    /// # Errors
    /// If the file cannot be locked or written. The skills are recorded anyway, possibly again later.
    pub fn record_blocked(
        &mut self,
        home: &Home,
        ruleset: &str,
        mut blocked: Vec<BlockedFolder>,
        write: impl FnOnce(&[BlockedFolder]) -> bool,
    ) -> Result<(), FileError> {
        if !state_dir_exists(home) {
            return Ok(());
        }
        let file = Locked::take(&cache_path(home));
        if let Ok(file) = &file {
            let kept = read_folders(file, ruleset);
            let (reported, unreported) =
                blocked.into_iter().partition(|one| is_reported(&kept, &one.folder, &one.report.hash));
            blocked = unreported;
            self.mark_reported(reported);
        }
        if !blocked.is_empty() && write(&blocked) {
            self.mark_reported(blocked);
        }
        self.write(&file?, ruleset)
    }

    fn mark_reported(&mut self, blocked: Vec<BlockedFolder>) {
        for BlockedFolder { folder, report, .. } in blocked {
            let known = self.folders.get_mut(&folder);
            if let Some(known) = known.filter(|known| known.scan.report.hash == report.hash) {
                known.reported = true;
                self.unsaved.insert(folder);
            }
        }
    }

    /// Merges new entries into the file, keeping those of other processes.
    ///
    /// # Errors
    /// If the file cannot be written. New entries stay pending.
    pub fn save(&mut self, home: &Home, ruleset: &str) -> Result<(), FileError> {
        self.evict();
        if self.unsaved.is_empty() || !state_dir_exists(home) {
            return Ok(());
        }
        self.write(&Locked::take(&cache_path(home))?, ruleset)
    }

    fn write(&mut self, file: &Locked, ruleset: &str) -> Result<(), FileError> {
        if self.unsaved.is_empty() {
            return Ok(());
        }
        let mut kept = read_folders(file, ruleset);
        for path in &self.unsaved {
            if let Some(known) = self.folders.get(path) {
                let reported = known.reported || is_reported(&kept, path, &known.scan.report.hash);
                kept.insert(path.clone(), CachedFolder { reported, ..known.clone() });
            }
        }
        // The cache can be rebuilt, so it need not be durable.
        file.replace_soon(&cache_file::encode(&kept, ruleset))?;
        self.unsaved.clear();
        Ok(())
    }
}

/// A deleted state folder is not recreated only for the cache.
fn state_dir_exists(home: &Home) -> bool {
    home.state_dir().is_dir()
}

fn is_reported(folders: &Folders, folder: &Path, hash: &str) -> bool {
    folders.get(folder).is_some_and(|known| known.reported && known.scan.report.hash == hash)
}

fn read_folders(file: &Locked, ruleset: &str) -> Folders {
    let bytes = file.read(MAX_BYTES).ok().flatten().unwrap_or_default();
    cache_file::decode(&bytes, ruleset).unwrap_or_default()
}

pub fn cache_path(home: &Home) -> PathBuf {
    home.own_dir().join("scan-cache.json")
}

#[cfg(test)]
mod tests {
    use tarsus_protocol::scan::{ScanReport, ScanVerdict};

    use super::*;

    fn scan(hash: String) -> Arc<FolderScan> {
        let (path, ruleset) = (String::new(), "rules".to_owned());
        let (uses, findings) = (Vec::new(), Vec::new());
        let report = ScanReport { path, verdict: ScanVerdict::Clean, hash, ruleset, uses, findings };
        Arc::new(FolderScan { texts: Vec::new(), report })
    }

    #[test]
    fn a_changing_folder_keeps_only_its_last_result() {
        let folder = tempfile::tempdir().unwrap();
        let choice =
            tarsus_home::HomeOptions { state_flag: Some(folder.path().into()), ..Default::default() };
        let home = Home::locate(&choice).unwrap();
        let mut cache = Cache::default();
        cache.insert(Path::new("/other"), None, &scan("other".to_owned()));
        for number in 0..9 {
            cache.insert(Path::new("/x"), None, &scan(number.to_string()));
            cache.save(&home, "rules").unwrap();
        }
        let mut hashes: Vec<_> = cache.results.keys().map(String::as_str).collect();
        hashes.sort_unstable();
        assert_eq!(hashes, ["8", "other"]);
        assert_eq!(Cache::load(&home, "rules").folders, cache.folders);
    }
}
