//! One SKILL.md: opened once, checked, read whole, parsed; or taken over when it is the one that was read before.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{Folder, Opened, canonical, stat_of};
use super::found::{Found, SkipReason};
use super::origin::{self, Origin};
use super::walk::{Base, Walk};
use crate::{Source, parse};

/// What became of a place where a SKILL.md may be.
pub enum Looked {
    /// It is a skill. Also why the note of its origin is of no use, where there is such a one.
    Found(Arc<Found>, Option<SkipReason>),
    /// It is there and was not loaded.
    Skipped(SkipReason),
    /// There is none.
    Missing,
}

/// Room for the bytes of a file, used again for the next one.
pub type Buffer = Vec<u8>;

/// Looks at the file `name` of the folder `below` a base.
pub fn look(walk: &Walk<'_>, base: &Base, below: &Path, name: &OsStr, buffer: &mut Buffer) -> Looked {
    let file = below.join(name);
    let at = base.at(&file);
    if let Some(known) = walk.known(&at)
        && known.stat.tells_changes_after(walk.known_ms)
        && base.folder.stat(&file) == Some(known.stat)
    {
        let (origin, ignored) = origin(walk, &base.folder, below);
        return Looked::Found(still(known, origin), ignored);
    }
    match base.folder.file(&file) {
        Opened::File(open, metadata) => take(walk, base, below, name, at, open, &metadata, buffer),
        Opened::Missing => Looked::Missing,
        Opened::Link => by_link(walk, base, below, name, at, buffer),
        Opened::Failed(error) => Looked::Skipped(refused(&error)),
    }
}

/// A SKILL.md that is a link counts when it leads to a file in its own folder.
fn by_link(
    walk: &Walk<'_>,
    base: &Base,
    below: &Path,
    name: &OsStr,
    at: PathBuf,
    buffer: &mut Buffer,
) -> Looked {
    let dir = base.folder.real().join(below);
    let Ok(target) = canonical(&dir.join(name)) else { return Looked::Skipped(SkipReason::Unresolved) };
    let inside = target.starts_with(&dir);
    let Some(target) = target.strip_prefix(base.folder.real()).ok().filter(|_| inside) else {
        return Looked::Skipped(SkipReason::OutsideRoot);
    };
    match base.folder.file(target) {
        Opened::File(open, metadata) => take(walk, base, below, name, at, open, &metadata, buffer),
        // Moved since it was resolved: whatever it is now, it is not what was checked.
        Opened::Missing | Opened::Link => Looked::Skipped(SkipReason::Unresolved),
        Opened::Failed(error) => Looked::Skipped(refused(&error)),
    }
}

#[expect(clippy::too_many_arguments, reason = "one file, with all that says what it is")]
fn take(
    walk: &Walk<'_>,
    base: &Base,
    below: &Path,
    name: &OsStr,
    at: PathBuf,
    open: File,
    metadata: &Metadata,
    buffer: &mut Buffer,
) -> Looked {
    let (stat, names) = stat_of(metadata);
    let limit = walk.limits.file_bytes;
    if !metadata.is_file() {
        return Looked::Skipped(SkipReason::NotAFile);
    }
    if names > 1 && !may_be_hard_linked(walk.root.source, base.folder.real()) {
        return Looked::Skipped(SkipReason::HardLinked);
    }
    match read(open, stat.size, limit, buffer) {
        Ok(true) => {}
        Ok(false) => return Looked::Skipped(SkipReason::TooLarge(limit)),
        Err(error) => return Looked::Skipped(SkipReason::Unreadable(error.to_string())),
    }
    let real = base.shown_where_it_is.then(|| base.folder.real().join(below).join(name));
    let dir = real.as_ref().unwrap_or(&at).parent().and_then(Path::file_name).unwrap_or_default();
    let parsed = parse(buffer, &name.to_string_lossy(), &dir.to_string_lossy());
    let (origin, ignored) = origin(walk, &base.folder, below);
    Looked::Found(Arc::new(Found::new(walk.root.source, at, real, stat, parsed, origin)), ignored)
}

/// Installers of whole systems share equal files; those roots are not for others to write to.
fn may_be_hard_linked(source: Source, real: &Path) -> bool {
    source == Source::Bundled || real.starts_with("/nix/store")
}

/// What was read before, with the notes of now.
fn still(known: &Arc<Found>, origin: Origin) -> Arc<Found> {
    if known.slug == origin.slug && known.noted == origin.noted {
        return Arc::clone(known);
    }
    let mut found = Found::clone(known);
    (found.slug, found.noted) = (origin.slug, origin.noted);
    Arc::new(found)
}

/// What Tarsus brings along was not installed by anyone.
fn origin(walk: &Walk<'_>, folder: &Folder, below: &Path) -> (Origin, Option<SkipReason>) {
    if walk.root.source == Source::Bundled {
        return Default::default();
    }
    let (origin, ignored) = origin::origin(folder, below, walk.root.source);
    (origin, ignored.map(SkipReason::Origin))
}

/// Reads the whole file into the buffer; false when it is longer than the limit. A file of the length that was
/// announced takes one call.
fn read(mut file: File, announced: u64, limit: u64, buffer: &mut Buffer) -> io::Result<bool> {
    buffer.clear();
    if announced > limit {
        return Ok(false);
    }
    let mut room = usize::try_from(announced).unwrap_or(usize::MAX).saturating_add(1);
    loop {
        let filled = buffer.len();
        buffer.resize(filled + room, 0);
        let number = match file.read(&mut buffer[filled..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            read => {
                let number = read?;
                if number < room && (number == 0 || (filled + number) as u64 == announced) {
                    buffer.truncate(filled + number);
                    return Ok((filled + number) as u64 <= limit);
                }
                number
            }
        };
        buffer.truncate(filled + number);
        if buffer.len() as u64 > limit {
            return Ok(false);
        }
        room = room.saturating_sub(number).max(4_096);
    }
}

fn refused(error: &io::Error) -> SkipReason {
    // A socket cannot be opened; a folder is not, where that can be told before.
    let not_a_file = error.kind() == io::ErrorKind::IsADirectory || is_a_socket(error);
    if not_a_file { SkipReason::NotAFile } else { SkipReason::Unreadable(error.to_string()) }
}

#[cfg(unix)]
fn is_a_socket(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

#[cfg(not(unix))]
fn is_a_socket(_: &io::Error) -> bool {
    false
}
