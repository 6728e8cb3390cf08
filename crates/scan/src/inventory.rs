//! Reads a folder: every file's bytes, within limits, and the anomalies of each.
//!
//! Opens nothing outside the folder and follows no links. Whatever is not read is reported as an anomaly.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::file_kind;
use crate::hash::FolderHash;

/// Limits of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanLimits {
    /// Number of files and folders.
    pub entries: usize,
    /// Bytes scanned of one text; the rest is only hashed.
    pub file: usize,
    /// Bytes of all files together.
    pub total: u64,
    /// Nesting of folders.
    pub depth: usize,
}

impl Default for ScanLimits {
    fn default() -> Self {
        Self { entries: 500, file: 1024 * 1024, total: 20 * 1024 * 1024, depth: 16 }
    }
}

/// The contents of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inventory {
    /// By path below the folder, separated by `/`.
    pub files: BTreeMap<String, Vec<u8>>,
    /// By path.
    pub anomalies: Vec<(String, FileAnomaly)>,
    /// SHA-256 over names, contents and anomalies.
    pub hash: String,
    /// Bytes scanned of one text.
    pub(crate) max_text: usize,
}

/// A property of a file that is a finding. The names of the variants are part of the folder hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileAnomaly {
    /// Could not be read.
    Unreadable,
    /// A text longer than the scanned part.
    TooLarge,
    /// Not read to the end: the folder exceeds the total size.
    TooMuch,
    /// More files and folders than allowed.
    TooMany,
    /// A link that leads out of the folder.
    LinkOut,
    /// A link without a target.
    BrokenLink,
    /// Neither file nor folder nor link.
    Special,
    /// Machine code.
    Executable,
    /// Byte code.
    ByteCode,
    /// An archive.
    Archive,
    /// Binary data of an unknown kind.
    NotText,
    /// The content does not match the extension.
    Mismatch,
    /// A hidden file or folder.
    HiddenFile,
    /// Invisible characters in the name.
    OddName,
    /// HTML with scripts.
    ActivePage,
    /// SVG with scripts.
    ActivePicture,
    /// More encoded text than is decoded.
    TooMuchEncoded,
}

impl Inventory {
    /// Reads a folder. Unreadable entries become anomalies.
    #[must_use]
    pub fn read(folder: &Path, limits: &ScanLimits) -> Self {
        let mut builder = InventoryBuilder::new(limits);
        match Dir::open_ambient_dir(folder, ambient_authority()) {
            Ok(root) => builder.folder(&root, &root, "", 0),
            Err(_) => builder.report("", FileAnomaly::Unreadable),
        }
        builder.finish()
    }

    /// An inventory of one file.
    #[must_use]
    pub fn from_file(name: &str, bytes: Vec<u8>) -> Self {
        Self::from_file_with_limits(name, bytes, &ScanLimits::default())
    }

    /// An inventory of files that were read elsewhere, by path below one folder, separated by `/`.
    #[must_use]
    pub fn from_files(files: BTreeMap<String, Vec<u8>>, limits: &ScanLimits) -> Self {
        let mut builder = InventoryBuilder::new(limits);
        let mut folders = BTreeSet::new();
        for (path, bytes) in files {
            for (end, _) in path.match_indices('/') {
                let folder = &path[..end];
                if file_kind::is_hidden(file_kind::file_name(folder)) && folders.insert(folder.to_owned()) {
                    builder.report(folder, FileAnomaly::HiddenFile);
                }
            }
            builder.keep(&path, bytes);
        }
        builder.finish()
    }

    /// An inventory of one file, within limits.
    #[must_use]
    pub fn from_file_with_limits(name: &str, bytes: Vec<u8>, limits: &ScanLimits) -> Self {
        let mut builder = InventoryBuilder::new(limits);
        builder.keep(name, bytes);
        builder.finish()
    }
}

struct InventoryBuilder<'a> {
    limits: &'a ScanLimits,
    left: u64,
    entries: usize,
    files: BTreeMap<String, Vec<u8>>,
    links: BTreeMap<String, String>,
    anomalies: Vec<(String, FileAnomaly)>,
}

impl<'a> InventoryBuilder<'a> {
    fn new(limits: &'a ScanLimits) -> Self {
        let (files, links) = (BTreeMap::new(), BTreeMap::new());
        Self { limits, left: limits.total, entries: 0, files, links, anomalies: Vec::new() }
    }

    /// The folder itself is `.`.
    fn report(&mut self, path: &str, anomaly: FileAnomaly) {
        let path = if path.is_empty() { "." } else { path };
        self.anomalies.push((path.to_owned(), anomaly));
    }

    fn folder(&mut self, root: &Dir, dir: &Dir, prefix: &str, depth: usize) {
        if depth > self.limits.depth {
            return self.report(prefix, FileAnomaly::TooMany);
        }
        let Ok(entries) = dir.entries() else { return self.report(prefix, FileAnomaly::Unreadable) };
        // Read no more names than can be used, then sort: the order must not depend on the disk.
        let room = self.limits.entries.saturating_sub(self.entries);
        let mut names = Vec::new();
        for entry in entries.take(room + 1) {
            match entry {
                Ok(entry) => names.push(entry.file_name()),
                Err(_) => self.report(prefix, FileAnomaly::Unreadable),
            }
        }
        if names.len() > room {
            names.truncate(room);
            self.report(prefix, FileAnomaly::TooMany);
        }
        names.sort();
        self.entries += names.len();
        for name in names {
            // Two such names could look the same, and one file would stand for both.
            let Some(shown) = name.to_str() else {
                self.report(&name.to_string_lossy(), FileAnomaly::Unreadable);
                continue;
            };
            let path = if prefix.is_empty() { shown.to_owned() } else { format!("{prefix}/{shown}") };
            if self.entry(root, dir, &path, depth).is_err() {
                self.report(&path, FileAnomaly::Unreadable);
            }
        }
    }

    fn entry(&mut self, root: &Dir, dir: &Dir, path: &str, depth: usize) -> io::Result<()> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let metadata = dir.symlink_metadata(name)?;
        if metadata.is_symlink() {
            self.link(root, path)?;
        } else if metadata.is_dir() {
            if file_kind::is_hidden(name) {
                self.report(path, FileAnomaly::HiddenFile);
            }
            self.folder(root, &dir.open_dir(name)?, path, depth + 1);
        } else if !metadata.is_file() {
            self.report(path, FileAnomaly::Special);
        } else {
            self.file(dir, name, path)?;
        }
        Ok(())
    }

    fn file(&mut self, dir: &Dir, name: &str, path: &str) -> io::Result<()> {
        let mut bytes = Vec::new();
        dir.open(name)?.take(self.left + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > self.left {
            bytes.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
            self.report(path, FileAnomaly::TooMuch);
        }
        self.left -= bytes.len() as u64;
        self.keep(path, bytes);
        Ok(())
    }

    /// A link inside the folder: its target is scanned under its own name. A linked SKILL.md is also read as SKILL.md, as
    /// the skill loader does.
    fn link(&mut self, root: &Dir, path: &str) -> io::Result<()> {
        let target = root.read_link_contents(path).map(|target| target.to_string_lossy().into_owned());
        let led_to = root.metadata(path);
        if led_to.is_err() {
            let target = target.as_deref().unwrap_or_default();
            let climbs = target.starts_with(['/', '\\']) || target.contains("..") || target.contains(':');
            self.report(path, if climbs { FileAnomaly::LinkOut } else { FileAnomaly::BrokenLink });
        }
        self.links.insert(path.to_owned(), target.unwrap_or_default());
        if file_kind::is_skill(path) && led_to.is_ok_and(|found| found.is_file()) {
            self.file(root, path, path)?;
        }
        Ok(())
    }

    fn keep(&mut self, path: &str, bytes: Vec<u8>) {
        for anomaly in file_kind::anomalies(path, &bytes) {
            self.report(path, anomaly);
        }
        if bytes.len() > self.limits.file && file_kind::is_scanned(path, &bytes) {
            self.report(path, FileAnomaly::TooLarge);
        }
        self.files.insert(path.to_owned(), bytes);
    }

    fn finish(self) -> Inventory {
        let mut hash = FolderHash::default();
        for (path, bytes) in &self.files {
            hash.add(b'f', path.as_bytes(), bytes);
        }
        for (path, target) in &self.links {
            hash.add(b'l', path.as_bytes(), target.as_bytes());
        }
        for (path, anomaly) in &self.anomalies {
            hash.add(b'o', path.as_bytes(), format!("{anomaly:?}").as_bytes());
        }
        Inventory {
            files: self.files,
            anomalies: self.anomalies,
            hash: hash.finish(),
            max_text: self.limits.file,
        }
    }
}
