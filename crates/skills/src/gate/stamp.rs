//! What tells one state of a folder from another without reading a file: names, kinds, sizes, times and numbers of
//! everything in it.
//!
//! Promises: any change of a file shows, even one that sets its time back, because the system keeps the time of the
//! change itself; where it does not, there is no stamp. Follows no link. Leaves to others: reading.

use std::path::Path;

use tarsus_scan::Limits;

/// A state of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    digest: [u8; 16],
    /// Everything in it, by the path below it, with `/`, sorted.
    names: Vec<String>,
    /// When anything in it last changed, in nanoseconds since 1970.
    newest_ns: i128,
}

/// A stamp that was taken long enough after the last change, so that any later one shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lasting {
    /// Of what is told of everything in the folder.
    pub digest: [u8; 16],
    /// Everything in it.
    pub names: Vec<String>,
}

impl Stamp {
    /// Takes the stamp of a folder; `None` where changes cannot be told, or the folder cannot be looked through.
    pub fn of(folder: &Path, limits: &Limits) -> Option<Self> {
        system::stamp(folder, limits)
    }

    /// The same, where a later change is sure to show when everything was read at or after `read_ms`: one within the
    /// same tick of a file system's clock is not.
    pub fn lasting(self, read_ms: i64) -> Option<Lasting> {
        /// The coarsest clock of a file system (FAT).
        const TICK_NS: i128 = 2_000_000_000;
        let Self { digest, names, newest_ns } = self;
        (newest_ns + TICK_NS < i128::from(read_ms) * 1_000_000).then_some(Lasting { digest, names })
    }
}

impl Lasting {
    /// Whether a folder is still as it was. Looking at everything that was in it is enough: whatever is there beside
    /// has changed the folder that it is in.
    pub fn still_holds(&self, folder: &Path) -> bool {
        system::digest(folder, &self.names) == Some(self.digest)
    }
}

#[cfg(not(unix))]
mod system {
    use std::path::Path;

    use super::{Limits, Stamp};

    /// Files have no time of change here that a program could not set.
    pub fn stamp(_: &Path, _: &Limits) -> Option<Stamp> {
        None
    }

    pub fn digest(_: &Path, _: &[String]) -> Option<[u8; 16]> {
        None
    }
}

#[cfg(unix)]
mod system {
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, statat};
    use sha2::{Digest, Sha256};

    use super::{Limits, Stamp};

    const FOLDER: OFlags =
        OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    pub fn stamp(folder: &Path, limits: &Limits) -> Option<Stamp> {
        let open = rustix::fs::openat(CWD, folder, FOLDER, Mode::empty()).ok()?;
        let top = rustix::fs::fstat(&open).ok()?;
        let mut walk = Walk { limits, found: Vec::new() };
        walk.folder(open, "", 0)?;
        walk.found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut sum = Sum::default();
        sum.add("", &top);
        for (name, stat) in &walk.found {
            sum.add(name, stat);
        }
        let (digest, newest_ns) = sum.finish();
        Some(Stamp { digest, names: walk.found.into_iter().map(|(name, _)| name).collect(), newest_ns })
    }

    pub fn digest(folder: &Path, names: &[String]) -> Option<[u8; 16]> {
        let mut sum = Sum::default();
        sum.add("", &statat(CWD, folder, AtFlags::SYMLINK_NOFOLLOW).ok()?);
        for name in names {
            sum.add(name, &statat(CWD, folder.join(name), AtFlags::SYMLINK_NOFOLLOW).ok()?);
        }
        Some(sum.finish().0)
    }

    struct Walk<'a> {
        limits: &'a Limits,
        found: Vec<(String, Stat)>,
    }

    impl Walk<'_> {
        /// `None` when there is more than is ever read, or something cannot be looked at.
        fn folder(&mut self, folder: OwnedFd, below: &str, depth: usize) -> Option<()> {
            if depth > self.limits.depth {
                return None;
            }
            let mut entries = Dir::new(folder).ok()?;
            let mut folders = Vec::new();
            while let Some(entry) = entries.read() {
                let entry = entry.ok()?;
                let name = entry.file_name();
                if matches!(name.to_bytes(), b"." | b"..") {
                    continue;
                }
                if self.found.len() >= self.limits.entries {
                    return None;
                }
                let found = statat(entries.fd().ok()?, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
                let path = [below, if below.is_empty() { "" } else { "/" }, name.to_str().ok()?].concat();
                if FileType::from_raw_mode(found.st_mode) == FileType::Directory {
                    folders.push((name.to_owned(), path.clone()));
                }
                self.found.push((path, found));
            }
            for (name, path) in folders {
                let inner = rustix::fs::openat(entries.fd().ok()?, &name, FOLDER, Mode::empty()).ok()?;
                self.folder(inner, &path, depth + 1)?;
            }
            Some(())
        }
    }

    /// What is told of names and files, one after the other.
    #[derive(Default)]
    struct Sum {
        hash: Sha256,
        newest_ns: i128,
    }

    impl Sum {
        #[allow(
            clippy::unnecessary_cast,
            clippy::useless_conversion,
            reason = "the types differ between systems"
        )]
        fn add(&mut self, name: &str, found: &Stat) {
            let time = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
            let modified = time(found.st_mtime as i64, found.st_mtime_nsec as i64);
            let changed = time(found.st_ctime as i64, found.st_ctime_nsec as i64);
            self.newest_ns = self.newest_ns.max(modified).max(changed);
            let mut numbers = [0; 64];
            numbers[..8].copy_from_slice(&(found.st_dev as u64).to_le_bytes());
            numbers[8..16].copy_from_slice(&(found.st_ino as u64).to_le_bytes());
            numbers[16..24].copy_from_slice(&(found.st_size as u64).to_le_bytes());
            numbers[24..32].copy_from_slice(&u64::from(found.st_mode as u32).to_le_bytes());
            numbers[32..48].copy_from_slice(&modified.to_le_bytes());
            numbers[48..].copy_from_slice(&changed.to_le_bytes());
            self.hash.update((name.len() as u64).to_le_bytes());
            self.hash.update(name);
            self.hash.update(numbers);
        }

        fn finish(self) -> ([u8; 16], i128) {
            let mut digest = [0; 16];
            digest.copy_from_slice(&self.hash.finalize()[..16]);
            (digest, self.newest_ns)
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests make their own files")]

    use std::fs::{self, FileTimes};

    use super::*;

    #[test]
    fn every_change_in_a_folder_shows_even_with_its_time_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("scripts/.hidden")).unwrap();
        fs::write(path("SKILL.md"), "text").unwrap();
        fs::write(path("scripts/.hidden/run"), "one").unwrap();
        let stamp = || Stamp::of(folder.path(), &Limits::default()).unwrap().lasting(i64::MAX).unwrap();

        let mut before = stamp();
        assert_eq!(stamp(), before);
        assert!(before.still_holds(folder.path()));
        let mut differs = |what: &str| {
            assert!(!before.still_holds(folder.path()), "{what}");
            let now = stamp();
            assert_ne!(now.digest, before.digest, "{what}");
            assert!(now.still_holds(folder.path()));
            before = now;
        };
        let time = fs::metadata(path("scripts/.hidden/run")).unwrap().modified().unwrap();
        fs::write(path("scripts/.hidden/run"), "two").unwrap();
        let file = fs::File::options().write(true).open(path("scripts/.hidden/run")).unwrap();
        file.set_times(FileTimes::new().set_modified(time)).unwrap();
        differs("the same length, and the same time");
        fs::write(path(".new"), "").unwrap();
        differs("a hidden file more");
        fs::rename(path(".new"), path(".other")).unwrap();
        differs("another name");
        fs::remove_file(path(".other")).unwrap();
        differs("a file less");
        std::os::unix::fs::symlink("/", path("link")).unwrap();
        differs("a link, which is not followed");
        fs::create_dir(path("scripts/.hidden/deep")).unwrap();
        differs("a folder more, in a folder");
        fs::rename(path("scripts"), path("elsewhere")).unwrap();
        std::os::unix::fs::symlink("elsewhere", path("scripts")).unwrap();
        differs("a link to what was there");
    }

    #[test]
    fn a_folder_with_more_than_is_read_has_no_stamp() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..4 {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        let limits = Limits { entries: 3, ..Limits::default() };
        assert_eq!(Stamp::of(folder.path(), &limits), None);
        assert_eq!(Stamp::of(&folder.path().join("none"), &limits), None);
    }

    #[test]
    fn a_change_within_a_tick_may_not_show() {
        let stamp = Stamp { digest: [0; 16], names: Vec::new(), newest_ns: 5_000_000_000 };
        assert_eq!(stamp.clone().lasting(7_000), None);
        assert_eq!(stamp.lasting(7_001), Some(Lasting { digest: [0; 16], names: Vec::new() }));
    }
}
