//! Moves skills to the trash and restores them.
//!
//! Only a folder that holds a skill and lies below a folder of managed or workspace skills is moved. It is always complete
//! in its place or in the trash, and nothing is overwritten.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsus_home::Home;
use tarsus_home::files::{self, FileError, Locked};
use tarsus_protocol::{ErrorCode, Problem, SourceLocation};

use crate::install::SKILL_FILE;
use crate::{SkillFile, SkillRoot, SkillSource};

/// Skills in the trash; beyond that the oldest is deleted.
const MAX_KEPT: usize = 100;
/// Slots that are listed; Tarsus itself never creates so many.
const MAX_SLOTS: usize = 100_000;
/// Bytes of a note.
const MAX_NOTE_BYTES: u64 = 64 * 1024;
/// The skill's folder in its slot.
const FOLDER: &str = "skill";
/// The note beside it.
const NOTE: &str = "removed.json";

/// Why a skill cannot be removed or restored.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// Its source is not managed by Tarsus.
    #[error("{name} cannot be removed: its source is {}", source_of.label())]
    Source {
        /// The skill.
        name: String,
        /// Its source.
        source_of: SkillSource,
    },
    /// It lies outside of the folder of its source.
    #[error("{name} cannot be removed: {} is not inside {}", folder.display(), root.display())]
    Outside {
        /// The skill.
        name: String,
        /// Its resolved folder.
        folder: PathBuf,
        /// Folder of its source.
        root: PathBuf,
    },
    /// Its folder is that of its source, which holds other skills too.
    #[error("{name} cannot be removed: {} is the folder of all skills of this source", .root.display())]
    Root {
        /// The skill.
        name: String,
        /// Folder of its source.
        root: PathBuf,
    },
    /// Its folder no longer holds a skill.
    #[error("{name} cannot be removed: there is no SKILL.md in {}", folder.display())]
    NotASkill {
        /// The skill.
        name: String,
        /// Its folder.
        folder: PathBuf,
    },
    /// The trash does not hold it.
    #[error("{0:?} is not in the trash")]
    NotInTrash(String),
    /// Its former folder exists again.
    #[error("{name} cannot be restored: {} already exists", place.display())]
    Taken {
        /// The skill.
        name: String,
        /// Where it was.
        place: PathBuf,
    },
    /// Its note cannot be read, so its former folder is unknown.
    #[error("{id} cannot be restored: its note cannot be read")]
    NoNote {
        /// Its id in the trash.
        id: String,
        /// Its folder in the trash.
        folder: PathBuf,
    },
    /// Its former folder does not belong to any agent now.
    #[error("{name} cannot be restored: {} is no longer a folder for skills", place.display())]
    NoPlace {
        /// The skill.
        name: String,
        /// Where it was.
        place: PathBuf,
    },
    /// A file cannot be read or moved.
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<RemoveError> for Problem {
    fn from(error: RemoveError) -> Self {
        let message = error.to_string();
        let of = |code| Self::new(code, message.clone());
        match error {
            RemoveError::Source { source_of: SkillSource::Bundled, name } => {
                of(ErrorCode::Denied).hint(format!("run `tarsus skills disable {name}` to turn it off"))
            }
            RemoveError::Source { .. } => of(ErrorCode::Denied)
                .note("only workspace skills and installed skills can be removed")
                .hint("delete its folder yourself if it is yours"),
            RemoveError::Outside { folder, .. } => of(ErrorCode::Denied)
                .at(SourceLocation::file(folder))
                .hint("it is reached through a link; remove the link yourself"),
            RemoveError::Root { root, .. } => {
                of(ErrorCode::Denied).at(SourceLocation::file(root)).hint("remove its SKILL.md yourself")
            }
            RemoveError::NotASkill { folder, .. } => {
                of(ErrorCode::Stale).at(SourceLocation::file(folder)).hint("run `tarsus skills refresh` to read the folders again")
            }
            RemoveError::NotInTrash(_) => {
                of(ErrorCode::NotFound).hint("`tarsus skills restore` lists the trash")
            }
            RemoveError::Taken { place, .. } => of(ErrorCode::Stale)
                .at(SourceLocation::file(place))
                .hint("nothing was changed; move the existing folder away first"),
            RemoveError::NoNote { folder, .. } => of(ErrorCode::Malformed)
                .at(SourceLocation::file(folder))
                .hint("nothing was changed; move this folder back yourself"),
            RemoveError::NoPlace { place, .. } => of(ErrorCode::Denied)
                .at(SourceLocation::file(place))
                .note("a skill can be restored only to an agent's workspace or to the folder of installed skills")
                .hint("nothing was changed; add the agent again that the skill belonged to"),
            RemoveError::File(error) => error.into(),
        }
    }
}

/// A skill in the trash. If its note cannot be read, its name is its id and its place is its folder in the trash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrashItem {
    /// Name of its slot; not part of the note, which lies in the slot.
    #[serde(skip)]
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its former folder.
    pub place: PathBuf,
    /// Time of the removal.
    pub removed_at: Timestamp,
}

/// Returns the folder of a skill that may be removed. It must be managed by Tarsus, lie inside the folder of its source,
/// not be that folder itself, and hold a skill.
///
/// # Errors
/// If one of these conditions is not met.
pub fn removable_folder(found: &SkillFile, roots: &[SkillRoot]) -> Result<PathBuf, RemoveError> {
    let name = found.name().into_owned();
    let of_its_source =
        |root: &&SkillRoot| root.source == found.source && found.walked_path().starts_with(&root.path);
    let root = match found.source {
        SkillSource::Managed | SkillSource::Workspace => roots.iter().find(of_its_source),
        _ => None,
    };
    let Some(root) = root else { return Err(RemoveError::Source { name, source_of: found.source }) };
    let real = |path: &Path| path.canonicalize().map_err(FileError::system(files::FileOperation::Read, path));
    let real_root = real(&root.path)?;
    let folder = found.walked_path().parent().unwrap_or(found.walked_path());
    let real = real(folder)?;
    if real == real_root {
        return Err(RemoveError::Root { name, root: real_root });
    }
    // A link is not the skill's folder, even if its target is inside the root.
    let is_link = folder.ancestors().take_while(|above| **above != *root.path).any(Path::is_symlink);
    if is_link || !real.starts_with(&real_root) {
        return Err(RemoveError::Outside { name, folder: real, root: real_root });
    }
    if !folder.join(SKILL_FILE).is_file() {
        return Err(RemoveError::NotASkill { name, folder: folder.to_path_buf() });
    }
    Ok(folder.to_path_buf())
}

/// Moves a skill to the trash. Also returns the names of skills that were deleted to make room.
///
/// # Errors
/// If it must not be removed or cannot be moved; it stays in its place.
pub fn remove(
    home: &Home,
    found: &SkillFile,
    roots: &[SkillRoot],
    now: Timestamp,
) -> Result<(TrashItem, Vec<String>), RemoveError> {
    let place = removable_folder(found, roots)?;
    let _lock = lock(home)?;
    // First: if room cannot be made, the skill stays in its place.
    let gone = make_room(home)?;
    let (id, at) = create_slot(home, now)?;
    let removed = TrashItem { id, name: found.name().into_owned(), place, removed_at: now };
    let note = serde_json::to_vec_pretty(&removed).unwrap_or_default();
    let moved = Locked::take(&at.join(NOTE))
        .and_then(|file| file.replace(&note))
        .and_then(|()| files::move_folder(&removed.place, &at.join(FOLDER)));
    if let Err(error) = moved {
        // Not moved, so the slot is empty. If it cannot be removed here, the next removal clears it.
        if removed.place.is_dir() {
            files::remove_folder(&at).ok();
        }
        return Err(error.into());
    }
    Ok((removed, gone))
}

/// Lists the trash, the newest first. Changes nothing, because another process may be adding to it.
///
/// # Errors
/// If it cannot be listed.
pub fn list(home: &Home) -> Result<Vec<TrashItem>, RemoveError> {
    let mut kept: Vec<TrashItem> = slots(home)?
        .into_iter()
        .filter(|(_, at)| at.join(FOLDER).is_dir())
        .map(|(id, at)| read_note(&id, &at).unwrap_or_else(|| item_without_note(id, &at)))
        .collect();
    kept.reverse();
    Ok(kept)
}

/// Moves a skill from the trash back to its former folder.
///
/// # Errors
/// If the id is unknown, the folder exists or is no folder for skills now, or it cannot be moved; it stays in the trash.
pub fn restore(home: &Home, id: &str, roots: &[SkillRoot]) -> Result<TrashItem, RemoveError> {
    let _lock = lock(home)?;
    let found = slots(home)?.into_iter().find(|(known, at)| known == id && at.join(FOLDER).is_dir());
    let Some((id, at)) = found else { return Err(RemoveError::NotInTrash(id.to_owned())) };
    let folder = at.join(FOLDER);
    let Some(removed) = read_note(&id, &at) else { return Err(RemoveError::NoNote { id, folder }) };
    let may_hold_it = |root: &SkillRoot| {
        let kind = matches!(root.source, SkillSource::Managed | SkillSource::Workspace);
        let steps = removed.place.strip_prefix(&root.path).is_ok_and(|below| {
            below.components().count() > 0
                && below.components().all(|step| matches!(step, std::path::Component::Normal(_)))
        });
        kind && steps
    };
    if !roots.iter().any(may_hold_it) {
        return Err(RemoveError::NoPlace { name: removed.name, place: removed.place });
    }
    files::move_folder(&folder, &removed.place).map_err(|error| match error {
        FileError::Exists { path } => RemoveError::Taken { name: removed.name.clone(), place: path },
        other => other.into(),
    })?;
    files::remove_folder(&at)?;
    Ok(removed)
}

fn folder(home: &Home) -> PathBuf {
    home.own_dir().join("trash").join("skills")
}

/// Locks the trash for changes.
fn lock(home: &Home) -> Result<files::Lock, FileError> {
    files::Lock::take(&home.own_dir().join("trash.lock"))
}

/// The slots of the trash by id, the oldest first.
fn slots(home: &Home) -> Result<Vec<(String, PathBuf)>, RemoveError> {
    let all = folder(home);
    let ids = files::list_names(&all, MAX_SLOTS)?;
    Ok(ids.into_iter().map(|id| (id.clone(), all.join(id))).collect())
}

fn read_note(id: &str, at: &Path) -> Option<TrashItem> {
    let note = files::read(&at.join(NOTE), MAX_NOTE_BYTES).ok().flatten()?;
    let removed: TrashItem = serde_json::from_slice(&note).ok()?;
    Some(TrashItem { id: id.to_owned(), ..removed })
}

/// Builds an item from its id, which starts with the time.
fn item_without_note(id: String, at: &Path) -> TrashItem {
    let ms = id.split('-').next().and_then(|ms| ms.parse().ok()).unwrap_or_default();
    let removed_at = Timestamp::from_millisecond(ms).unwrap_or_default();
    TrashItem { name: id.clone(), place: at.join(FOLDER), removed_at, id }
}

/// Creates a slot whose name sorts after all earlier ones.
fn create_slot(home: &Home, now: Timestamp) -> Result<(String, PathBuf), RemoveError> {
    let all = folder(home);
    let ms = now.as_millisecond();
    let mut number = 0;
    let (id, at) = loop {
        let id = format!("{ms:015}-{number:03}");
        let at = all.join(&id);
        if at.symlink_metadata().is_err() {
            break (id, at);
        }
        number += 1;
    };
    files::make_private_dir(&at)?;
    Ok((id, at))
}

/// Deletes empty slots and, if there are too many, the oldest skills, whose names are returned. Needs the lock, because
/// a slot without a skill may otherwise be in use.
fn make_room(home: &Home) -> Result<Vec<String>, RemoveError> {
    let (kept, left): (Vec<_>, Vec<_>) =
        slots(home)?.into_iter().partition(|(_, at)| at.join(FOLDER).is_dir());
    for (_, at) in left {
        files::remove_folder(&at)?;
    }
    let too_many = (kept.len() + 1).saturating_sub(MAX_KEPT);
    let mut gone = Vec::new();
    for (id, at) in kept.into_iter().take(too_many) {
        let name = read_note(&id, &at).map_or(id, |removed| removed.name);
        files::remove_folder(&at)?;
        gone.push(name);
    }
    Ok(gone)
}
