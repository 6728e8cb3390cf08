//! What is in a folder: every file's bytes, within limits, and what is odd about each.
//!
//! Promises: nothing outside the folder is opened, links are not followed, at most the limits are read, and what was
//! not read is an oddity. The same folder gives the same inventory. Leaves to others: what the texts say.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::hash::FolderHash;
use crate::kind;

/// How much is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Files and folders.
    pub entries: usize,
    /// Bytes of one text that are looked into; the rest is only hashed.
    pub file: usize,
    /// Bytes of all files.
    pub total: u64,
    /// Folders inside folders.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 500, file: 1024 * 1024, total: 20 * 1024 * 1024, depth: 16 }
    }
}

/// Everything in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inventory {
    /// Files by their path below the folder, with `/`.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What is odd, by path.
    pub odd: Vec<(String, Oddity)>,
    /// SHA-256 over names and bytes.
    pub hash: String,
    /// How many bytes of one text are looked into.
    pub(crate) longest: usize,
}

/// What is odd about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Oddity {
    /// It could not be read.
    Unreadable,
    /// It is a text that is longer than what is looked into.
    TooLarge,
    /// It was not read to its end, because the folder holds more than is read.
    TooMuch,
    /// There are more files and folders than the limits allow.
    TooMany,
    /// A link that leads out of the folder.
    LinkOut,
    /// A link that leads nowhere.
    BrokenLink,
    /// Neither file nor folder nor link.
    Special,
    /// A program for a machine.
    Executable,
    /// A compiled program.
    ByteCode,
    /// An archive.
    Archive,
    /// Bytes that are not text and no known picture, sound or document.
    NotText,
    /// It is not what its name says.
    Mismatch,
    /// Its name hides it.
    HiddenFile,
    /// Its name holds characters that are not shown.
    OddName,
    /// A page with a program in it.
    ActivePage,
    /// A drawing with a program in it.
    ActivePicture,
    /// More is written in it in another form than is decoded.
    TooMuchEncoded,
}

impl Inventory {
    /// Reads a folder. What cannot be read is in the inventory.
    #[must_use]
    pub fn read(folder: &Path, limits: &Limits) -> Self {
        let mut reader = Reader::start(limits);
        match Dir::open_ambient_dir(folder, ambient_authority()) {
            Ok(root) => reader.folder(&root, &root, "", 0),
            Err(_) => reader.odd("", Oddity::Unreadable),
        }
        reader.finish()
    }

    /// One file by itself.
    #[must_use]
    pub fn of_file(name: &str, bytes: Vec<u8>) -> Self {
        Self::of_file_within(name, bytes, &Limits::default())
    }

    /// Files that were read elsewhere, by their paths below one folder, with `/`.
    #[must_use]
    pub fn of_files(files: BTreeMap<String, Vec<u8>>, limits: &Limits) -> Self {
        let mut reader = Reader::start(limits);
        let mut folders = BTreeSet::new();
        for (path, bytes) in files {
            for (end, _) in path.match_indices('/') {
                let folder = &path[..end];
                if kind::is_hidden(kind::file_name(folder)) && folders.insert(folder.to_owned()) {
                    reader.odd(folder, Oddity::HiddenFile);
                }
            }
            reader.keep(&path, bytes);
        }
        reader.finish()
    }

    /// One file by itself, looked into as far as these limits say.
    #[must_use]
    pub fn of_file_within(name: &str, bytes: Vec<u8>, limits: &Limits) -> Self {
        let mut reader = Reader::start(limits);
        reader.keep(name, bytes);
        reader.finish()
    }
}

struct Reader<'a> {
    limits: &'a Limits,
    left: u64,
    entries: usize,
    files: BTreeMap<String, Vec<u8>>,
    links: BTreeMap<String, String>,
    odd: Vec<(String, Oddity)>,
}

impl<'a> Reader<'a> {
    fn start(limits: &'a Limits) -> Self {
        let (files, links) = (BTreeMap::new(), BTreeMap::new());
        Self { limits, left: limits.total, entries: 0, files, links, odd: Vec::new() }
    }

    /// The folder itself is `.`.
    fn odd(&mut self, path: &str, oddity: Oddity) {
        let path = if path.is_empty() { "." } else { path };
        self.odd.push((path.to_owned(), oddity));
    }

    fn folder(&mut self, root: &Dir, dir: &Dir, prefix: &str, depth: usize) {
        if depth > self.limits.depth {
            return self.odd(prefix, Oddity::TooMany);
        }
        let Ok(entries) = dir.entries() else { return self.odd(prefix, Oddity::Unreadable) };
        // Read no more names than could be used, then in an order that does not depend on the disk.
        let room = self.limits.entries.saturating_sub(self.entries);
        let mut names = Vec::new();
        for entry in entries.take(room + 1) {
            match entry {
                Ok(entry) => names.push(entry.file_name()),
                Err(_) => self.odd(prefix, Oddity::Unreadable),
            }
        }
        if names.len() > room {
            names.truncate(room);
            self.odd(prefix, Oddity::TooMany);
        }
        names.sort();
        self.entries += names.len();
        for name in names {
            // Two such names could look the same, and one file would stand for both.
            let Some(shown) = name.to_str() else {
                self.odd(&name.to_string_lossy(), Oddity::Unreadable);
                continue;
            };
            let path = if prefix.is_empty() { shown.to_owned() } else { format!("{prefix}/{shown}") };
            if self.entry(root, dir, &path, depth).is_err() {
                self.odd(&path, Oddity::Unreadable);
            }
        }
    }

    fn entry(&mut self, root: &Dir, dir: &Dir, path: &str, depth: usize) -> io::Result<()> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let metadata = dir.symlink_metadata(name)?;
        if metadata.is_symlink() {
            self.link(root, path)?;
        } else if metadata.is_dir() {
            if kind::is_hidden(name) {
                self.odd(path, Oddity::HiddenFile);
            }
            self.folder(root, &dir.open_dir(name)?, path, depth + 1);
        } else if !metadata.is_file() {
            self.odd(path, Oddity::Special);
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
            self.odd(path, Oddity::TooMuch);
        }
        self.left -= bytes.len() as u64;
        self.keep(path, bytes);
        Ok(())
    }

    /// What a link inside the folder leads to is looked at under its own name. A SKILL.md that is a link is read by
    /// whoever reads the skill, so what it says is looked at as a SKILL.md as well.
    fn link(&mut self, root: &Dir, path: &str) -> io::Result<()> {
        let target = root.read_link_contents(path).map(|target| target.to_string_lossy().into_owned());
        let led_to = root.metadata(path);
        if led_to.is_err() {
            let target = target.as_deref().unwrap_or_default();
            let climbs = target.starts_with(['/', '\\']) || target.contains("..") || target.contains(':');
            self.odd(path, if climbs { Oddity::LinkOut } else { Oddity::BrokenLink });
        }
        self.links.insert(path.to_owned(), target.unwrap_or_default());
        if kind::is_skill(path) && led_to.is_ok_and(|found| found.is_file()) {
            self.file(root, path, path)?;
        }
        Ok(())
    }

    fn keep(&mut self, path: &str, bytes: Vec<u8>) {
        for oddity in kind::oddities(path, &bytes) {
            self.odd(path, oddity);
        }
        if bytes.len() > self.limits.file && kind::is_looked_into(path, &bytes) {
            self.odd(path, Oddity::TooLarge);
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
        for (path, oddity) in &self.odd {
            hash.add(b'o', path.as_bytes(), format!("{oddity:?}").as_bytes());
        }
        Inventory { files: self.files, odd: self.odd, hash: hash.finish(), longest: self.limits.file }
    }
}
