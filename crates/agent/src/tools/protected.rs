//! Protected files, which no tool may read, and control files, which steer the agent.

use std::path::{Path, PathBuf};

use tarsus_home::Home;
use tarsus_home::files::{Confined, FileId};
use tarsus_protocol::ErrorCode;

/// The agent's long-term memory, at the top of its workspace.
pub(super) const MEMORY: &str = "MEMORY.md";

/// Files with instructions for agents.
const CONTROL_FILES: [&str; 5] = ["SKILL.md", "AGENTS.md", "SOUL.md", "HEARTBEAT.md", ".envrc"];
/// Folders with files that control other programs.
const CONTROL_FOLDERS: [&str; 2] = [".git", ".vscode"];
/// Maximum months of the audit chain that are compared.
const MAX_MONTHS: usize = 10_000;

/// Our own folder. Keys and audit records are never read; the rest only as part of a skill or the guide.
#[derive(Debug, Clone)]
pub(super) struct Protected {
    own: PathBuf,
    keys: Vec<PathBuf>,
    audit: PathBuf,
    /// The folder of all state, and the configuration, which may lie elsewhere.
    state: PathBuf,
    config: PathBuf,
}

impl Protected {
    pub(super) fn for_home(home: &Home) -> Self {
        let own = home.own_dir();
        // A folder that does not exist yet has no links.
        let real = own.canonicalize().unwrap_or_else(|_| own.clone());
        let moved =
            |path: PathBuf| path.strip_prefix(&own).map_or_else(|_| path.clone(), |rest| real.join(rest));
        let keys = [home.secrets_path(), home.token_path(), home.hash_key_path(), home.audit_key_path()];
        let keys = keys.map(moved).to_vec();
        let audit = moved(home.audit_dir());
        let state = home.state_dir().canonicalize().unwrap_or_else(|_| home.state_dir().to_path_buf());
        let config = home.config_path().canonicalize().unwrap_or_else(|_| home.config_path().to_path_buf());
        Self { own: real, keys, audit, state, config }
    }

    /// Whether a file must not be written, by its real path: it belongs to the state, but not to this workspace.
    pub(super) fn forbids_write(&self, path: &Path, workspace: Option<&Path>) -> bool {
        let is_in_workspace = workspace.is_some_and(|workspace| {
            lies_in(workspace, &self.state) && !lies_in(&self.state, workspace) && lies_in(path, workspace)
        });
        lies_in(path, &self.own)
            || lies_in(path, &self.config)
            || (lies_in(path, &self.state) && !is_in_workspace)
    }

    /// Whether a file is protected, by its real path; `in_skill_or_guide` if it was reached that way.
    pub(super) fn contains_path(&self, path: &Path, in_skill_or_guide: bool) -> bool {
        let is_key = || self.keys.iter().chain([&self.audit]).any(|key| lies_in(path, key));
        if in_skill_or_guide { is_key() } else { lies_in(path, &self.own) }
    }

    /// Whether a file is a key or a record, by whatever name.
    pub(super) fn contains_file(&self, id: Option<FileId>) -> bool {
        let Some(id) = id else { return false };
        let is_it = |path: &Path| {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
            let reached = Confined::open_real(folder).and_then(|folder| folder.reach(Path::new(name)));
            // A file that cannot be opened has no other readable name.
            reached.ok().flatten().is_some_and(|reached| reached.id == Some(id))
        };
        let listed = Confined::open_real(&self.audit).and_then(|audit| audit.list(Path::new(""), MAX_MONTHS));
        let months = match listed {
            Ok(months) => months,
            Err(error) if error.code() == ErrorCode::NotFound => Vec::new(),
            // A record that cannot be compared cannot be ruled out.
            Err(_) => return true,
        };
        let months = months.into_iter().map(|month| self.audit.join(month.name));
        self.keys.iter().cloned().chain(months).any(|path| is_it(&path))
    }
}

/// Whether a path is a folder or below it, case-insensitively, as some file systems are.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let folded = |path: &Path| PathBuf::from(path.to_string_lossy().to_lowercase());
    folded(path).starts_with(folded(folder))
}

/// Whether a path below a root is a long-term memory.
pub(super) fn is_memory(below: &Path) -> bool {
    below.file_name().is_some_and(|name| name.eq_ignore_ascii_case(MEMORY))
}

/// Whether a path below a root is a control file of agents or other programs.
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
    fn control_files_match_in_any_case_and_depth() {
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
