//! Reads and parses one SKILL.md, or reuses the earlier result if the file is unchanged.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{Folder, Opened, canonical, stat_of};
use super::origin::{self, Origin};
use super::skill_file::{SkillFile, SkipReason};
use super::walk::{Base, Walk};
use crate::{SkillSource, parse};

/// The result of reading a possible SKILL.md.
pub enum ReadOutcome {
    /// A skill, and why its origin file is ignored, if it is.
    SkillFile(Arc<SkillFile>, Option<SkipReason>),
    /// The file exists but is not loaded.
    Skipped(SkipReason),
    /// There is no such file.
    Missing,
}

/// A read buffer, reused between files.
pub type Buffer = Vec<u8>;

/// Reads the file `name` in the folder `below` a base.
pub fn read_skill(
    walk: &Walk<'_>,
    base: &Base,
    below: &Path,
    name: &OsStr,
    buffer: &mut Buffer,
) -> ReadOutcome {
    let file = below.join(name);
    let at = base.at(&file);
    if let Some(known) = walk.known(&at)
        && known.stat.detects_changes_after(walk.known_ms)
        && base.folder.stat(&file) == Some(known.stat)
    {
        let (origin, ignored) = read_origin(walk, &base.folder, below);
        return ReadOutcome::SkillFile(reuse(known, origin), ignored);
    }
    match base.folder.file(&file) {
        Opened::File(open, metadata) => parse_file(walk, base, below, name, at, open, &metadata, buffer),
        Opened::Missing => ReadOutcome::Missing,
        Opened::Link => read_linked(walk, base, below, name, at, buffer),
        Opened::Failed(error) => ReadOutcome::Skipped(skip_reason(&error)),
    }
}

/// Reads a linked SKILL.md, which must lead to a file in its own folder.
fn read_linked(
    walk: &Walk<'_>,
    base: &Base,
    below: &Path,
    name: &OsStr,
    at: PathBuf,
    buffer: &mut Buffer,
) -> ReadOutcome {
    let dir = base.folder.real().join(below);
    let Ok(target) = canonical(&dir.join(name)) else { return ReadOutcome::Skipped(SkipReason::Unresolved) };
    let inside = target.starts_with(&dir);
    let Some(target) = target.strip_prefix(base.folder.real()).ok().filter(|_| inside) else {
        return ReadOutcome::Skipped(SkipReason::OutsideRoot);
    };
    match base.folder.file(target) {
        Opened::File(open, metadata) => parse_file(walk, base, below, name, at, open, &metadata, buffer),
        // The target changed after it was resolved and checked.
        Opened::Missing | Opened::Link => ReadOutcome::Skipped(SkipReason::Unresolved),
        Opened::Failed(error) => ReadOutcome::Skipped(skip_reason(&error)),
    }
}

#[expect(clippy::too_many_arguments, reason = "one file, with all that says what it is")]
fn parse_file(
    walk: &Walk<'_>,
    base: &Base,
    below: &Path,
    name: &OsStr,
    at: PathBuf,
    open: File,
    metadata: &Metadata,
    buffer: &mut Buffer,
) -> ReadOutcome {
    let (stat, names) = stat_of(metadata);
    let limit = walk.limits.file_bytes;
    if !metadata.is_file() {
        return ReadOutcome::Skipped(SkipReason::NotAFile);
    }
    if names > 1 && !may_be_hard_linked(walk.root.source, base.folder.real()) {
        return ReadOutcome::Skipped(SkipReason::HardLinked);
    }
    match read_bounded(open, stat.size, limit, buffer) {
        Ok(true) => {}
        Ok(false) => return ReadOutcome::Skipped(SkipReason::TooLarge(limit)),
        Err(error) => return ReadOutcome::Skipped(SkipReason::Unreadable(error.to_string())),
    }
    let real = base.shows_real_path.then(|| base.folder.real().join(below).join(name));
    let dir = real.as_ref().unwrap_or(&at).parent().and_then(Path::file_name).unwrap_or_default();
    let parsed = parse(buffer, &name.to_string_lossy(), &dir.to_string_lossy());
    let (origin, ignored) = read_origin(walk, &base.folder, below);
    ReadOutcome::SkillFile(
        Arc::new(SkillFile::new(walk.root.source, at, real, stat, parsed, origin)),
        ignored,
    )
}

/// Package managers hard-link equal files in these roots, which others cannot write to.
fn may_be_hard_linked(source: SkillSource, real: &Path) -> bool {
    source == SkillSource::Bundled || real.starts_with("/nix/store")
}

/// Returns the earlier result with the current origin.
fn reuse(known: &Arc<SkillFile>, origin: Origin) -> Arc<SkillFile> {
    if known.slug == origin.slug && known.third_party == origin.third_party {
        return Arc::clone(known);
    }
    let mut found = SkillFile::clone(known);
    (found.slug, found.third_party) = (origin.slug, origin.third_party);
    Arc::new(found)
}

/// Reads the origin file; bundled skills have none.
fn read_origin(walk: &Walk<'_>, folder: &Folder, below: &Path) -> (Origin, Option<SkipReason>) {
    if walk.root.source == SkillSource::Bundled {
        return Default::default();
    }
    let (origin, ignored) = origin::read_origin(folder, below, walk.root.source);
    (origin, ignored.map(SkipReason::Origin))
}

/// Reads the whole file into the buffer; false if it exceeds the limit. Takes one call if the announced size is right.
fn read_bounded(mut file: File, announced: u64, limit: u64, buffer: &mut Buffer) -> io::Result<bool> {
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

fn skip_reason(error: &io::Error) -> SkipReason {
    // Opening a socket fails with ENXIO; folders are rejected before opening on some systems.
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
