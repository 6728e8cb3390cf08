//! Taking a skill away, into the trash, and bringing it back.
//!
//! Promises: only a folder that holds a skill, lies inside a folder of managed or workspace skills and is not that folder
//! itself is taken away; it is in its place or in the trash, whole, whatever happens; nothing that is there is replaced.
//! Leaves to others: asking the person, and writing down what they said.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsus_home::Home;
use tarsus_home::files::{self, FileError, Locked};
use tarsus_protocol::{ErrorCode, Place, Problem};

use crate::install::SKILL_FILE;
use crate::{Root, SkillFile, Source};

/// Skills that stay in the trash; then the oldest is gone for good.
const MOST_KEPT: usize = 100;
/// Places that are listed: there are more only when somebody else makes them.
const MOST_PLACES: usize = 100_000;
/// Bytes of the note about one of them.
const MOST_NOTE: u64 = 64 * 1024;
/// The skill's folder in its place of the trash.
const FOLDER: &str = "skill";
/// The note beside it.
const NOTE: &str = "removed.json";

/// A skill that is not taken away, or not brought back.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// It comes from a place that is not for this program to change.
    #[error("{name} is not removed: it is a {} skill", source_of.label())]
    Source {
        /// The skill.
        name: String,
        /// Where it comes from.
        source_of: Source,
    },
    /// It lies elsewhere than in the folder of its source.
    #[error("{name} is not removed: {} is not inside {}", folder.display(), root.display())]
    Outside {
        /// The skill.
        name: String,
        /// Where it really is.
        folder: PathBuf,
        /// Where it would have to be.
        root: PathBuf,
    },
    /// Its folder is the one that all skills of its source lie in.
    #[error("{name} is not removed: {} holds all skills of its kind", .root.display())]
    Root {
        /// The skill.
        name: String,
        /// That folder.
        root: PathBuf,
    },
    /// Its folder holds no skill any more.
    #[error("{name} is not removed: there is no SKILL.md in {}", folder.display())]
    NotASkill {
        /// The skill.
        name: String,
        /// Its folder.
        folder: PathBuf,
    },
    /// Nothing of the name is in the trash.
    #[error("{0:?} is not in the trash")]
    NotInTrash(String),
    /// Something is where it was.
    #[error("{name} is not restored: {} is there already", place.display())]
    Taken {
        /// The skill.
        name: String,
        /// Where it was.
        place: PathBuf,
    },
    /// Nothing can be read that says where it was.
    #[error("{id} is not restored: the note about it cannot be read")]
    NoNote {
        /// Its place in the trash.
        id: String,
        /// The skill's folder there.
        folder: PathBuf,
    },
    /// It was in a folder that no agent has any more.
    #[error("{name} is not restored: {} is no place for skills any more", place.display())]
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
            RemoveError::Source { source_of: Source::Bundled, name } => {
                of(ErrorCode::Denied).hint(format!("`tarsus skills disable {name}` switches it off"))
            }
            RemoveError::Source { .. } => of(ErrorCode::Denied)
                .note("only skills of the workspace and installed ones are removed")
                .hint("remove its folder yourself, if it is yours"),
            RemoveError::Outside { folder, .. } => of(ErrorCode::Denied)
                .at(Place::file(folder))
                .hint("it is reached by a link; remove the link yourself"),
            RemoveError::Root { root, .. } => {
                of(ErrorCode::Denied).at(Place::file(root)).hint("remove its SKILL.md yourself")
            }
            RemoveError::NotASkill { folder, .. } => {
                of(ErrorCode::Stale).at(Place::file(folder)).hint("`tarsus skills refresh` looks again")
            }
            RemoveError::NotInTrash(_) => {
                of(ErrorCode::NotFound).hint("`tarsus skills restore` lists what is there")
            }
            RemoveError::Taken { place, .. } => of(ErrorCode::Stale)
                .at(Place::file(place))
                .hint("nothing was changed; move away what is there"),
            RemoveError::NoNote { folder, .. } => of(ErrorCode::Malformed)
                .at(Place::file(folder))
                .hint("nothing was changed; move this folder to where it belongs yourself"),
            RemoveError::NoPlace { place, .. } => of(ErrorCode::Denied)
                .at(Place::file(place))
                .note("a skill comes back to the workspace of an agent, or to where skills are installed")
                .hint("nothing was changed; add the agent again whose skill it was"),
            RemoveError::File(error) => error.into(),
        }
    }
}

/// A skill in the trash. Where the note about it cannot be read, its name is its id, and its place is where it lies now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    /// Its place in the trash, by name; not in the note, which lies there.
    #[serde(skip)]
    pub id: String,
    /// Its name.
    pub name: String,
    /// The folder that it was.
    pub place: PathBuf,
    /// When.
    pub removed_at: Timestamp,
}

/// Whether a skill may be taken away, and the folder that would be. These are the four guards: its source, its place
/// inside the folder of that source, that it is not this folder itself, and that it holds a skill.
///
/// # Errors
/// When one of them says no.
pub fn removable(found: &SkillFile, roots: &[Root]) -> Result<PathBuf, RemoveError> {
    let name = found.name().into_owned();
    let of_its_source = |root: &&Root| root.source == found.source && found.at().starts_with(&root.path);
    let root = match found.source {
        Source::Managed | Source::Workspace => roots.iter().find(of_its_source),
        _ => None,
    };
    let Some(root) = root else { return Err(RemoveError::Source { name, source_of: found.source }) };
    let real = |path: &Path| path.canonicalize().map_err(FileError::system(files::Doing::Read, path));
    let real_root = real(&root.path)?;
    let folder = found.at().parent().unwrap_or(found.at());
    let real = real(folder)?;
    if real == real_root {
        return Err(RemoveError::Root { name, root: real_root });
    }
    // A link is not the folder, even when it leads to one inside.
    let is_link = folder.ancestors().take_while(|above| **above != *root.path).any(Path::is_symlink);
    if is_link || !real.starts_with(&real_root) {
        return Err(RemoveError::Outside { name, folder: real, root: real_root });
    }
    if !folder.join(SKILL_FILE).is_file() {
        return Err(RemoveError::NotASkill { name, folder: folder.to_path_buf() });
    }
    Ok(folder.to_path_buf())
}

/// Takes a skill away, into the trash. Says what was gone for good to make room, by name.
///
/// # Errors
/// When it may not be taken away, or a file cannot be moved: it is in its place then.
pub fn remove(
    home: &Home,
    found: &SkillFile,
    roots: &[Root],
    now: Timestamp,
) -> Result<(Removed, Vec<String>), RemoveError> {
    let place = removable(found, roots)?;
    let _alone = alone(home)?;
    // Before anything is moved: when room cannot be made, the skill stays in its place.
    let gone = make_room(home)?;
    let (id, at) = free_place(home, now)?;
    let removed = Removed { id, name: found.name().into_owned(), place, removed_at: now };
    let note = serde_json::to_vec_pretty(&removed).unwrap_or_default();
    let moved = Locked::take(&at.join(NOTE))
        .and_then(|file| file.replace(&note))
        .and_then(|()| files::move_folder(&removed.place, &at.join(FOLDER)));
    if let Err(error) = moved {
        // Where it was, so the note is about nothing; the next one clears it when this cannot.
        if removed.place.is_dir() {
            files::remove_folder(&at).ok();
        }
        return Err(error.into());
    }
    Ok((removed, gone))
}

/// What is in the trash, the newest first. Changes nothing: somebody may be about to put something there.
///
/// # Errors
/// When it cannot be listed.
pub fn list(home: &Home) -> Result<Vec<Removed>, RemoveError> {
    let mut kept: Vec<Removed> = places(home)?
        .into_iter()
        .filter(|(_, at)| at.join(FOLDER).is_dir())
        .map(|(id, at)| noted(&id, &at).unwrap_or_else(|| without_note(id, &at)))
        .collect();
    kept.reverse();
    Ok(kept)
}

/// Brings back what is in the trash under this id.
///
/// # Errors
/// When there is none, its place is taken or is none any more, or a file cannot be moved: it is in the trash then.
pub fn restore(home: &Home, id: &str, roots: &[Root]) -> Result<Removed, RemoveError> {
    let _alone = alone(home)?;
    let found = places(home)?.into_iter().find(|(known, at)| known == id && at.join(FOLDER).is_dir());
    let Some((id, at)) = found else { return Err(RemoveError::NotInTrash(id.to_owned())) };
    let folder = at.join(FOLDER);
    let Some(removed) = noted(&id, &at) else { return Err(RemoveError::NoNote { id, folder }) };
    let is_a_place = |root: &Root| {
        let kind = matches!(root.source, Source::Managed | Source::Workspace);
        let steps = removed.place.strip_prefix(&root.path).is_ok_and(|below| {
            below.components().count() > 0
                && below.components().all(|step| matches!(step, std::path::Component::Normal(_)))
        });
        kind && steps
    };
    if !roots.iter().any(is_a_place) {
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

/// Held while something is put into the trash, taken out of it or cleared.
fn alone(home: &Home) -> Result<files::Lock, FileError> {
    files::Lock::take(&home.own_dir().join("trash.lock"))
}

/// The places of the trash by id, the oldest first.
fn places(home: &Home) -> Result<Vec<(String, PathBuf)>, RemoveError> {
    let all = folder(home);
    let ids = files::list_names(&all, MOST_PLACES)?;
    Ok(ids.into_iter().map(|id| (id.clone(), all.join(id))).collect())
}

/// What the note at a place says.
fn noted(id: &str, at: &Path) -> Option<Removed> {
    let note = files::read(&at.join(NOTE), MOST_NOTE).ok().flatten()?;
    let removed: Removed = serde_json::from_slice(&note).ok()?;
    Some(Removed { id: id.to_owned(), ..removed })
}

/// What can be said without a note. The id begins with the time.
fn without_note(id: String, at: &Path) -> Removed {
    let ms = id.split('-').next().and_then(|ms| ms.parse().ok()).unwrap_or_default();
    let removed_at = Timestamp::from_millisecond(ms).unwrap_or_default();
    Removed { name: id.clone(), place: at.join(FOLDER), removed_at, id }
}

/// A new place, named so that a later one sorts after it.
fn free_place(home: &Home, now: Timestamp) -> Result<(String, PathBuf), RemoveError> {
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

/// Clears what killed ones left, and makes room for one more. Says what is gone for good, by name. Called alone: what
/// holds no skill is then of no use to anyone.
fn make_room(home: &Home) -> Result<Vec<String>, RemoveError> {
    let (kept, left): (Vec<_>, Vec<_>) =
        places(home)?.into_iter().partition(|(_, at)| at.join(FOLDER).is_dir());
    for (_, at) in left {
        files::remove_folder(&at)?;
    }
    let too_many = (kept.len() + 1).saturating_sub(MOST_KEPT);
    let mut gone = Vec::new();
    for (id, at) in kept.into_iter().take(too_many) {
        let name = noted(&id, &at).map_or(id, |removed| removed.name);
        files::remove_folder(&at)?;
        gone.push(name);
    }
    Ok(gone)
}
