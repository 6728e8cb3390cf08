//! Which events say that a skill may be different.

use std::path::Path;

use notify::EventKind;
use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind, RemoveKind};

/// Folders full of what programs make; nothing in them is a skill.
const IGNORED: [&str; 10] = [
    ".git",
    "node_modules",
    "dist",
    ".venv",
    "venv",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    "build",
    ".cache",
];

/// Whether something happened that may make another skill of it. `below` is the path below its root.
pub fn is_relevant(kind: &EventKind, below: &Path) -> bool {
    if below.iter().any(|step| IGNORED.iter().any(|ignored| step == *ignored)) {
        return false;
    }
    let named = below
        .file_name()
        .is_none_or(|name| name.eq_ignore_ascii_case("SKILL.md") || name == "source-origin.json");
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => named,
        EventKind::Access(_) => false,
        EventKind::Create(CreateKind::File) | EventKind::Remove(RemoveKind::File) => named,
        EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => named,
        // A folder, or a name whose kind is not known: a rename does not say.
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(_) => true,
        EventKind::Any | EventKind::Other => true,
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{DataChange, MetadataKind, RenameMode};

    use super::*;

    #[test]
    fn only_skill_files_notes_of_their_origin_and_folders_count() {
        let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        let metadata = EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any));
        let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::To));
        let table = [
            (data, "a/SKILL.md", true),
            (data, "a/skill.md", true),
            (data, "a/.openclaw/source-origin.json", true),
            (data, "a/scripts/run.py", false),
            (metadata, "a/SKILL.md", true),
            (metadata, "a", false),
            (renamed, "a", true),
            (EventKind::Create(CreateKind::Folder), "a/b", true),
            (EventKind::Create(CreateKind::File), "a/x.md", false),
            (EventKind::Create(CreateKind::Folder), "a/node_modules/b", false),
            (EventKind::Remove(RemoveKind::Folder), "a", true),
            (EventKind::Access(AccessKind::Open(AccessMode::Read)), "a/SKILL.md", false),
            (EventKind::Any, "a", true),
        ];
        for (kind, path, expected) in table {
            assert_eq!(is_relevant(&kind, Path::new(path)), expected, "{kind:?} {path}");
        }
    }
}
