//! Backups: a folder with the store, `openclaw.json`, our settings, the app registry and the Markdown files of the
//! workspaces, laid out like the state folder.
//!
//! The folder appears complete or not at all and is private to the account. The store in it is a snapshot of one moment.
//! Unreadable files are listed. Secrets, tokens, keys, approved commands and devices are never included.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use rusqlite::Connection;
use tarsus_home::Home;
use tarsus_home::config::Config;
use tarsus_home::files::{self, Confined, Existing, FileError, FileKind, FileOperation, NewFile, NewFolder};
use tarsus_protocol::backup::{BackedUp, BackupReport, NotBackedUp};

use crate::error::{QueryError, StoreError};
use crate::store::Store;

pub use crate::copy::Progress;

/// Maximum bytes of a file other than the store.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// Maximum directory entries of a workspace folder.
const MAX_NAMES: usize = 10_000;
/// The file that lists the contents of a backup.
const MANIFEST: &str = "backup.json";

/// Creates a backup in a new folder below `to`, named after the time.
///
/// # Errors
/// When the store cannot be copied or the folder cannot be written. Nothing is left behind then.
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
    // Agents may share a workspace.
    let mut copied = BTreeSet::new();
    for agent in &config.agents.list {
        let workspace = home.workspace(&config.agents, agent);
        if !copied.insert(workspace.clone()) {
            continue;
        }
        let below = match workspace.strip_prefix(home.state_dir()) {
            Ok(below) if below.components().all(|part| matches!(part, Component::Normal(_))) => {
                below.to_path_buf()
            }
            // Workspaces outside the state folder may share a name, so each gets its agent's folder.
            _ => Path::new("workspaces-elsewhere").join(agent.id.as_str()),
        };
        backup.copy_markdown(&workspace, Path::new(""), &below)?;
        backup.copy_markdown(&workspace, Path::new("memory"), &below)?;
    }
    backup.finish(&target, at_ms)
}

/// The final name of the backup folder, and its temporary name.
fn folder_names(db: &Connection, at_ms: i64) -> Result<(String, String), QueryError> {
    let query = "SELECT strftime('tarsus-%Y-%m-%dT%H%M%SZ', ?1 / 1000, 'unixepoch'), \
                 '.tarsus-' || lower(hex(randomblob(8)))";
    Ok(db.query_row(query, [at_ms], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// Files with a fixed path, and their paths in the backup.
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
        let bytes =
            copied.map_err(FileError::system(FileOperation::Read, &at))?.map_or(0, |found| found.len());
        self.files.push(BackedUp { path: portable_path(&path), bytes });
        Ok(())
    }

    /// Copies a file if it exists. An unreadable file is listed as left out.
    fn copy_file(&mut self, from: &Path, path: &Path) -> Result<(), StoreError> {
        match files::read(from, MAX_FILE_BYTES) {
            Ok(None) => Ok(()),
            Ok(Some(bytes)) => self.write(path, &bytes),
            Err(error) => {
                self.leave_out(from, &error);
                Ok(())
            }
        }
    }

    /// Copies the Markdown files of a workspace folder. Links that lead out of the workspace are not followed.
    fn copy_markdown(&mut self, workspace: &Path, folder: &Path, below: &Path) -> Result<(), StoreError> {
        let listed = Confined::open(workspace).and_then(|inside| {
            let listed = inside.list(folder, MAX_NAMES)?;
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
        for entry in notes.filter(|entry| entry.kind != FileKind::Folder) {
            let name = folder.join(&entry.name);
            match inside.read(&name, MAX_FILE_BYTES) {
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
        let list = list.map_err(FileError::system(FileOperation::Write, target))?;
        self.write(Path::new(MANIFEST), &list)?;
        self.folder.put(target)?;
        Ok(report)
    }
}

/// A path in a backup, with `/` on every system.
fn portable_path(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
