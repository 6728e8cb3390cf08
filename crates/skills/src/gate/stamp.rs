//! Detects changes in a folder without reading files, from the metadata of everything in it.
//!
//! Every change of a file alters the stamp, even if its modification time is set back, because the stamp includes the
//! change time (ctime). Systems without one have no stamps. Links are not followed.

use std::path::Path;

use tarsus_scan::ScanLimits;

/// A digest of the metadata of everything in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    digest: [u8; 16],
    /// Relative paths of everything in the folder, with `/`, sorted.
    names: Vec<String>,
    /// The latest change, in nanoseconds since 1970.
    newest_ns: i128,
}

/// A stamp taken long enough after the last change that every later change alters it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StableStamp {
    pub digest: [u8; 16],
    /// Relative paths of everything in the folder.
    pub names: Vec<String>,
}

impl Stamp {
    /// Computes the stamp of a folder; `None` if the system has no change times or the folder cannot be walked.
    pub fn for_folder(folder: &Path, limits: &ScanLimits) -> Option<Self> {
        system::stamp(folder, limits)
    }

    /// `None` if the last change is within one clock tick of `read_ms`, when reading started: a later change in the
    /// same tick would not alter the stamp.
    pub fn into_stable(self, read_ms: i64) -> Option<StableStamp> {
        /// The coarsest file system clock (FAT).
        const TICK_NS: i128 = 2_000_000_000;
        let Self { digest, names, newest_ns } = self;
        (newest_ns + TICK_NS < i128::from(read_ms) * 1_000_000).then_some(StableStamp { digest, names })
    }
}

impl StableStamp {
    /// Whether the folder is unchanged. Checking the known paths is enough: a new entry changes its parent folder.
    pub fn is_current(&self, folder: &Path) -> bool {
        system::digest(folder, &self.names) == Some(self.digest)
    }
}

#[cfg(not(unix))]
mod system {
    use std::path::Path;

    use super::{ScanLimits, Stamp};

    /// This system has no change time that programs cannot set.
    pub fn stamp(_: &Path, _: &ScanLimits) -> Option<Stamp> {
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

    use super::{ScanLimits, Stamp};

    const FOLDER: OFlags =
        OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    pub fn stamp(folder: &Path, limits: &ScanLimits) -> Option<Stamp> {
        let open = rustix::fs::openat(CWD, folder, FOLDER, Mode::empty()).ok()?;
        let top = rustix::fs::fstat(&open).ok()?;
        let mut walk = Walk { limits, found: Vec::new() };
        walk.folder(open, "", 0)?;
        walk.found.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut hasher = StampHasher::default();
        hasher.add("", &top);
        for (name, stat) in &walk.found {
            hasher.add(name, stat);
        }
        let (digest, newest_ns) = hasher.finish();
        Some(Stamp { digest, names: walk.found.into_iter().map(|(name, _)| name).collect(), newest_ns })
    }

    pub fn digest(folder: &Path, names: &[String]) -> Option<[u8; 16]> {
        let mut hasher = StampHasher::default();
        hasher.add("", &statat(CWD, folder, AtFlags::SYMLINK_NOFOLLOW).ok()?);
        for name in names {
            hasher.add(name, &statat(CWD, folder.join(name), AtFlags::SYMLINK_NOFOLLOW).ok()?);
        }
        Some(hasher.finish().0)
    }

    struct Walk<'a> {
        limits: &'a ScanLimits,
        found: Vec<(String, Stat)>,
    }

    impl Walk<'_> {
        /// `None` if a limit is exceeded or an entry cannot be read.
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

    /// Hashes names and metadata in order.
    #[derive(Default)]
    struct StampHasher {
        hash: Sha256,
        newest_ns: i128,
    }

    impl StampHasher {
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
    fn every_change_alters_the_stamp_even_with_mtime_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("scripts/.hidden")).unwrap();
        fs::write(path("SKILL.md"), "text").unwrap();
        fs::write(path("scripts/.hidden/run"), "one").unwrap();
        let stamp = || {
            Stamp::for_folder(folder.path(), &ScanLimits::default()).unwrap().into_stable(i64::MAX).unwrap()
        };

        let mut before = stamp();
        assert_eq!(stamp(), before);
        assert!(before.is_current(folder.path()));
        let mut differs = |what: &str| {
            assert!(!before.is_current(folder.path()), "{what}");
            let now = stamp();
            assert_ne!(now.digest, before.digest, "{what}");
            assert!(now.is_current(folder.path()));
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
    fn a_folder_over_the_limits_has_no_stamp() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..4 {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        let limits = ScanLimits { entries: 3, ..ScanLimits::default() };
        assert_eq!(Stamp::for_folder(folder.path(), &limits), None);
        assert_eq!(Stamp::for_folder(&folder.path().join("none"), &limits), None);
    }

    #[test]
    fn a_stamp_within_a_clock_tick_is_not_stable() {
        let stamp = Stamp { digest: [0; 16], names: Vec::new(), newest_ns: 5_000_000_000 };
        assert_eq!(stamp.clone().into_stable(7_000), None);
        assert_eq!(stamp.into_stable(7_001), Some(StableStamp { digest: [0; 16], names: Vec::new() }));
    }
}
