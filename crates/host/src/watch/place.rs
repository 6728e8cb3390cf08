//! Where to watch: a file, or everything in a folder that matters.

use std::path::{Path, PathBuf};

use notify::EventKind;
use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind, RemoveKind};

/// Where to watch. The place itself and the folders above it may come and go.
#[derive(Debug, Clone)]
pub enum Place {
    /// A file; where a link leads is watched too.
    File(PathBuf),
    /// A folder.
    Folder {
        /// Which one.
        path: PathBuf,
        /// Whether a change at a path below it matters.
        matters: fn(About, &Path) -> bool,
    },
}

impl Place {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Folder { path, .. } => path,
        }
    }

    /// Whether what happened at `path` matters here.
    pub(super) fn is_touched_by(&self, kind: &EventKind, path: &Path) -> bool {
        match (self, path.strip_prefix(self.path())) {
            // A folder on the way to the place: it matters whether it is there.
            (_, Err(_)) => self.path().starts_with(path) && is_another(kind),
            (Self::File(_), Ok(_)) => About::of(kind).is_some(),
            (Self::Folder { matters, .. }, Ok(below)) => {
                About::of(kind).is_some_and(|about| matters(about, below))
            }
        }
    }
}

/// What a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// A file: its content, its permissions, or that it is there; or the permissions of a folder.
    File,
    /// A folder that came or went, or something of which that is not known: a rename does not say.
    Anything,
}

impl About {
    /// `None` when nothing is another than before.
    fn of(kind: &EventKind) -> Option<Self> {
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

/// Whether a name may stand for another thing than before.
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
    fn reading_changes_nothing_and_only_what_is_certainly_a_file_is_one() {
        let table = [
            (READ, None),
            (WRITTEN, Some(About::File)),
            (DATA, Some(About::File)),
            (METADATA, Some(About::File)),
            (NEW_FILE, Some(About::File)),
            (RENAMED, Some(About::Anything)),
            (NEW_FOLDER, Some(About::Anything)),
            (GONE, Some(About::Anything)),
            (EventKind::Any, Some(About::Anything)),
        ];
        for (kind, expected) in table {
            assert_eq!(About::of(&kind), expected, "{kind:?}");
        }
    }

    #[test]
    fn a_file_is_touched_by_itself_and_by_folders_on_the_way_that_come_and_go() {
        let file = Place::File("/home/ada/state/file".into());
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
            assert_eq!(file.is_touched_by(&kind, Path::new(path)), expected, "{kind:?} {path}");
        }
    }
}
