//! Watch targets: a file, or the relevant contents of a folder.

use std::path::{Path, PathBuf};

use notify::EventKind;
use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind, RemoveKind};

/// A file or folder to watch. It and its parents may come and go.
#[derive(Debug, Clone)]
pub enum WatchTarget {
    /// A file, and the file that it links to.
    File(PathBuf),
    /// A folder.
    Folder {
        /// The folder.
        path: PathBuf,
        /// Whether a change at a path below it matters.
        matters: fn(ChangeKind, &Path) -> bool,
    },
}

impl WatchTarget {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Folder { path, .. } => path,
        }
    }

    /// Whether a change at `path` matters here.
    pub(super) fn is_changed_by(&self, kind: &EventKind, path: &Path) -> bool {
        match (self, path.strip_prefix(self.path())) {
            // A parent of the target: only its appearance and removal matter.
            (_, Err(_)) => self.path().starts_with(path) && is_another(kind),
            (Self::File(_), Ok(_)) => ChangeKind::from_event(kind).is_some(),
            (Self::Folder { matters, .. }, Ok(below)) => {
                ChangeKind::from_event(kind).is_some_and(|about| matters(about, below))
            }
        }
    }
}

/// The subject of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// The content, permissions or existence of a file, or the permissions of a folder.
    File,
    /// A folder that appeared or disappeared, or an unknown subject: a rename does not tell.
    Anything,
}

impl ChangeKind {
    /// `None` when nothing changed.
    fn from_event(kind: &EventKind) -> Option<Self> {
        match kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Create(CreateKind::File)
            | EventKind::Remove(RemoveKind::File)
            | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => Some(Self::File),
            EventKind::Access(_) => None,
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(_) => Some(Self::Anything),
            EventKind::Any | EventKind::Other => Some(Self::Anything),
        }
    }
}

/// Whether a path may refer to another file than before.
fn is_another(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(_) => false,
        EventKind::Modify(how) => matches!(how, ModifyKind::Name(_)),
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Any | EventKind::Other => true,
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{DataChange, MetadataKind, RenameMode};

    use super::*;

    const READ: EventKind = EventKind::Access(AccessKind::Open(AccessMode::Read));
    const WRITTEN: EventKind = EventKind::Access(AccessKind::Close(AccessMode::Write));
    const DATA: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    const METADATA: EventKind = EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any));
    const RENAMED: EventKind = EventKind::Modify(ModifyKind::Name(RenameMode::To));
    const NEW_FILE: EventKind = EventKind::Create(CreateKind::File);
    const NEW_FOLDER: EventKind = EventKind::Create(CreateKind::Folder);
    const GONE: EventKind = EventKind::Remove(RemoveKind::Any);

    #[test]
    fn events_map_to_change_kinds() {
        let table = [
            (READ, None),
            (WRITTEN, Some(ChangeKind::File)),
            (DATA, Some(ChangeKind::File)),
            (METADATA, Some(ChangeKind::File)),
            (NEW_FILE, Some(ChangeKind::File)),
            (RENAMED, Some(ChangeKind::Anything)),
            (NEW_FOLDER, Some(ChangeKind::Anything)),
            (GONE, Some(ChangeKind::Anything)),
            (EventKind::Any, Some(ChangeKind::Anything)),
        ];
        for (kind, expected) in table {
            assert_eq!(ChangeKind::from_event(&kind), expected, "{kind:?}");
        }
    }

    #[test]
    fn file_is_changed_by_itself_and_its_parents() {
        let file = WatchTarget::File("/home/ada/state/file".into());
        let table = [
            (DATA, "/home/ada/state/file", true),
            (READ, "/home/ada/state/file", false),
            (DATA, "/home/ada/state/file2", false),
            (DATA, "/home/ada/state/other", false),
            (RENAMED, "/home/ada/state", true),
            (NEW_FOLDER, "/home/ada", true),
            (METADATA, "/home/ada", false),
            (NEW_FOLDER, "/home/bob", false),
        ];
        for (kind, path, expected) in table {
            assert_eq!(file.is_changed_by(&kind, Path::new(path)), expected, "{kind:?} {path}");
        }
    }
}
