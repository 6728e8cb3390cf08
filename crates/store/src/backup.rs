//! A backup: a folder with what cannot be made again, laid out as the state folder is.
//!
//! Promises: the folder is in its place whole or not at all, private to the account; the store in it is that of one
//! moment, and nobody waited for it; what could not be read is named. What it holds: the store, `openclaw.json`, our own
//! settings with everything that was decided about skills, the registry of apps, and the Markdown files of the
//! workspaces, memory included. What it never holds: the secret store, the token and the keys that lie in files of their own,
//! approved commands, devices.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use rusqlite::Connection;
use tarsus_home::Home;
use tarsus_home::config::Config;
use tarsus_home::files::{self, Confined, Doing, Existing, FileError, Kind, NewFile, NewFolder};
use tarsus_protocol::backup::{BackedUp, BackupReport, NotBackedUp};

use crate::error::{QueryError, StoreError};
use crate::store::Store;

pub use crate::copy::Progress;

/// Bytes of a file that is not the store.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Names in a folder of a workspace that is looked into.
const MOST_NAMES: usize = 10_000;
/// The list of what is in a backup.
const MANIFEST: &str = "backup.json";

/// Makes a backup in a folder of its own below `to`, named by the time.
///
/// # Errors
/// When the store cannot be copied or the folder cannot be written; then nothing is left of it.
pub fn make(
    store: &Store,
    home: &Home,
    config: &Config,
    to: &Path,
    at_ms: i64,
    progress: &mut dyn FnMut(Progress),
) -> Result<BackupReport, StoreError> {
    let (name, hidden) = store.read(|db| folder_names(db, at_ms))?;
    let target = to.join(name);
    files::make_private_dir(to)?;
    let folder = NewFolder::begin(&to.join(hidden))?;
    let mut backup = Backup { folder, files: Vec::new(), left_out: Vec::new() };
    backup.copy_store(store, progress)?;
    for (from, path) in single_files(home) {
        backup.copy_file(&from, &path)?;
    }
    // Agents may share one.
    let mut seen = BTreeSet::new();
    for agent in &config.agents.list {
        let workspace = home.workspace(&config.agents, agent);
        if !seen.insert(workspace.clone()) {
            continue;
        }
        let below = match workspace.strip_prefix(home.state_dir()) {
            Ok(below) if below.components().all(|part| matches!(part, Component::Normal(_))) => {
                below.to_path_buf()
            }
            // One that lies elsewhere has a place of its own, so that two of one name do not meet.
            _ => Path::new("workspaces-elsewhere").join(agent.id.as_str()),
        };
        backup.copy_markdown(&workspace, Path::new(""), &below)?;
        backup.copy_markdown(&workspace, Path::new("memory"), &below)?;
    }
    backup.finish(&target, at_ms)
}

/// What the backup is called, and what it is called until it is whole.
fn folder_names(db: &Connection, at_ms: i64) -> Result<(String, String), QueryError> {
    let query = "SELECT strftime('tarsus-%Y-%m-%dT%H%M%SZ', ?1 / 1000, 'unixepoch'), \
                 '.tarsus-' || lower(hex(randomblob(8)))";
    Ok(db.query_row(query, [at_ms], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// Files that lie where they always lie, with their paths in the backup.
fn single_files(home: &Home) -> [(PathBuf, PathBuf); 3] {
    let registry = Path::new("registries").join("application_registry.json");
    [
        (home.config_path().to_path_buf(), PathBuf::from("openclaw.json")),
        (home.settings_path(), Path::new("tarsus").join("tarsus.json5")),
        (home.state_dir().join(&registry), registry),
    ]
}

struct Backup {
    folder: NewFolder,
    files: Vec<BackedUp>,
    left_out: Vec<NotBackedUp>,
}

impl Backup {
    fn copy_store(&mut self, store: &Store, progress: &mut dyn FnMut(Progress)) -> Result<(), StoreError> {
        let path = Path::new("tarsus").join("store.db");
        let at = self.folder.path().join(&path);
        NewFile::begin(&at)?.put(Existing::Kept)?;
        store.copy_to(&at, progress)?;
        let copied = files::open(&at)?.map(|file| file.metadata()).transpose();
        let bytes = copied.map_err(FileError::system(Doing::Read, &at))?.map_or(0, |found| found.len());
        self.files.push(BackedUp { path: portable_path(&path), bytes });
        Ok(())
    }

    /// Copies a file, if there is one. One that cannot be read is left out.
    fn copy_file(&mut self, from: &Path, path: &Path) -> Result<(), StoreError> {
        match files::read(from, MOST_BYTES) {
            Ok(None) => Ok(()),
            Ok(Some(bytes)) => self.write(path, &bytes),
            Err(error) => {
                self.leave_out(from, &error);
                Ok(())
            }
        }
    }

    /// Copies the Markdown files of a folder of a workspace. No link is followed out of it.
    fn copy_markdown(&mut self, workspace: &Path, folder: &Path, below: &Path) -> Result<(), StoreError> {
        let listed = Confined::open(workspace).and_then(|inside| {
            let listed = inside.list(folder, MOST_NAMES)?;
            Ok((inside, listed))
        });
        let (inside, listed) = match listed {
            Ok(listed) => listed,
            Err(FileError::System { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Ok(());
            }
            Err(error) => {
                self.leave_out(&workspace.join(folder), &error);
                return Ok(());
            }
        };
        let notes = listed.into_iter().filter(|entry| entry.name.to_ascii_lowercase().ends_with(".md"));
        for entry in notes.filter(|entry| entry.kind != Kind::Folder) {
            let name = folder.join(&entry.name);
            match inside.read(&name, MOST_BYTES) {
                Ok(None) => {}
                Ok(Some(bytes)) => self.write(&below.join(&name), &bytes)?,
                Err(error) => self.leave_out(&workspace.join(&name), &error),
            }
        }
        Ok(())
    }

    fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let mut file = NewFile::begin(&self.folder.path().join(path))?;
        file.write(bytes)?;
        file.put(Existing::Kept)?;
        self.files.push(BackedUp { path: portable_path(path), bytes: bytes.len() as u64 });
        Ok(())
    }

    fn leave_out(&mut self, path: &Path, error: &FileError) {
        self.left_out.push(NotBackedUp { path: path.display().to_string(), reason: error.to_string() });
    }

    fn finish(mut self, target: &Path, at_ms: i64) -> Result<BackupReport, StoreError> {
        let report = BackupReport {
            folder: target.display().to_string(),
            made_at: at_ms,
            files: std::mem::take(&mut self.files),
            left_out: std::mem::take(&mut self.left_out),
        };
        let list = serde_json::to_vec_pretty(&report).map_err(std::io::Error::from);
        let list = list.map_err(FileError::system(Doing::Write, target))?;
        self.write(Path::new(MANIFEST), &list)?;
        self.folder.put(target)?;
        Ok(report)
    }
}

/// A path in a backup, written the same on every system.
fn portable_path(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
