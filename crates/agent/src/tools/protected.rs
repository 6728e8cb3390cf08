//! Files that no tool reads, and files that decide what the agent does.

use std::path::{Path, PathBuf};

use tarsus_home::Home;
use tarsus_home::files::{Confined, FileId};
use tarsus_protocol::ErrorCode;

/// The agent's long-term memory, at the top of its workspace.
pub(super) const MEMORY: &str = "MEMORY.md";

/// Files that agents take their orders from.
const CONTROL_FILES: [&str; 5] = ["SKILL.md", "AGENTS.md", "SOUL.md", "HEARTBEAT.md", ".envrc"];
/// Folders with files that other programs take their orders from.
const CONTROL_FOLDERS: [&str; 2] = [".git", ".vscode"];
/// Months of the audit chain that are looked at.
const MOST_MONTHS: usize = 10_000;

/// Our own folder: its keys and records are read by no tool, the rest only where it is a skill or a page of the guide.
#[derive(Debug)]
pub(super) struct Protected {
    own: PathBuf,
    keys: Vec<PathBuf>,
    audit: PathBuf,
}

impl Protected {
    pub(super) fn of(home: &Home) -> Self {
        let own = home.own_dir();
        // Where nothing is yet there is nothing to read either.
        let real = own.canonicalize().unwrap_or_else(|_| own.clone());
        let moved =
            |path: PathBuf| path.strip_prefix(&own).map_or_else(|_| path.clone(), |rest| real.join(rest));
        let keys = [home.secrets_path(), home.token_path(), home.hash_key_path()].map(moved).to_vec();
        let audit = moved(home.audit_dir());
        Self { own: real, keys, audit }
    }

    /// Whether a file, by its real path, is not to be read; `may_be_ours` when it was reached as a skill or as a page.
    pub(super) fn covers(&self, path: &Path, may_be_ours: bool) -> bool {
        let is_key = || self.keys.iter().chain([&self.audit]).any(|key| lies_in(path, key));
        if may_be_ours { is_key() } else { lies_in(path, &self.own) }
    }

    /// Whether a file is one of the keys or records, by whatever name.
    pub(super) fn has(&self, id: Option<FileId>) -> bool {
        let Some(id) = id else { return false };
        let is_it = |path: &Path| {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
            let reached = Confined::open_real(folder).and_then(|folder| folder.reach(Path::new(name)));
            // What cannot be reached has no name elsewhere that it could be read by.
            reached.ok().flatten().is_some_and(|reached| reached.id == Some(id))
        };
        let listed =
            Confined::open_real(&self.audit).and_then(|audit| audit.list(Path::new(""), MOST_MONTHS));
        let months = match listed {
            Ok(months) => months,
            Err(error) if error.code() == ErrorCode::NotFound => Vec::new(),
            // What cannot be looked at cannot be ruled out.
            Err(_) => return true,
        };
        let months = months.into_iter().map(|month| self.audit.join(month.name));
        self.keys.iter().cloned().chain(months).any(|path| is_it(&path))
    }
}

/// Whether a path lies in a folder or is it, without regard to case: some file systems have none.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let folded = |path: &Path| PathBuf::from(path.to_string_lossy().to_lowercase());
    folded(path).starts_with(folded(folder))
}

/// Whether a file, by its path below a root, is somebody's long-term memory.
pub(super) fn is_memory(below: &Path) -> bool {
    below.file_name().is_some_and(|name| name.eq_ignore_ascii_case(MEMORY))
}

/// Whether a file, by its path below a root, decides what agents or other programs do.
pub(super) fn is_control_file(below: &Path) -> bool {
    let is_file = below
        .file_name()
        .is_some_and(|name| CONTROL_FILES.iter().any(|control| name.eq_ignore_ascii_case(control)));
    let is_inside =
        || below.iter().any(|name| CONTROL_FOLDERS.iter().any(|control| name.eq_ignore_ascii_case(control)));
    is_file || is_inside()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_files_and_memories_are_known_in_any_case_and_depth() {
        let table = [
            ("SKILL.md", true, false),
            ("a/skill.MD", true, false),
            ("agents.md", true, false),
            (".git/config", true, false),
            ("a/.GIT/hooks/x", true, false),
            (".gitignore", false, false),
            ("MEMORY.md", false, true),
            ("old/memory.md", false, true),
            ("memory/2026-01-01.md", false, false),
            ("notes.md", false, false),
        ];
        for (path, control, memory) in table {
            let path = Path::new(path);
            assert_eq!((is_control_file(path), is_memory(path)), (control, memory), "{}", path.display());
        }
    }
}
