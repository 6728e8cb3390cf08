//! The file that results are kept in: lists without names, because there are many of them and all are read each time.
//!
//! Promises: what is written is read again; a file with anything else in it is not read at all. Leaves to others: where
//! the file is, and what is in it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tarsus_protocol::capability::Capability;
use tarsus_protocol::scan::{CapabilityUse, Finding, ScanReport, ScanVerdict};
use tarsus_protocol::text::hex;

use super::Examined;
use super::stamp::Lasting;

/// The shape of the file. Another one is not read.
const VERSION: u32 = 2;
/// Folders that are remembered: those of the two largest sources.
pub const MOST_FOLDERS: usize = 40_000;

/// A folder as it was when it was last read.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its stamp then, where it tells later changes.
    pub stamp: Option<Lasting>,
    /// What was found.
    pub examined: Arc<Examined>,
    /// Whether it was told that it must not be used as it is.
    pub told: bool,
}

/// Folders by their paths.
pub type Folders = HashMap<PathBuf, Known>;

#[derive(Serialize, Deserialize)]
struct File<'a> {
    version: u32,
    ruleset: &'a str,
    #[serde(borrow)]
    results: Vec<ResultLine<'a>>,
    folders: Vec<FolderLine>,
}

/// Hash of the folder, hashes of the texts, what was found.
type ResultLine<'a> = (&'a str, Vec<String>, ScanVerdict, Vec<Use>, Vec<Finding>);
/// Path, stamp with the names in it, place of the result, whether it was told.
type FolderLine = (String, Option<(String, Vec<String>)>, usize, bool);
/// Capability, file, line, column, excerpt, further files.
type Use = (Capability, String, u32, u32, String, u32);

/// What is in a file for these rules.
pub fn read(bytes: &[u8], ruleset: &str) -> Option<Folders> {
    let file: File<'_> = serde_json::from_slice(bytes).ok()?;
    if file.version != VERSION || file.ruleset != ruleset {
        return None;
    }
    let results = file.results.into_iter().map(|line| examined(line, ruleset)).collect::<Option<Vec<_>>>()?;
    let known = |(path, stamp, result, told): FolderLine| {
        let stamp = match stamp {
            Some((digest, names)) => Some(Lasting { digest: bytes_of(&digest)?, names }),
            None => None,
        };
        Some((path.into(), Known { stamp, examined: Arc::clone(results.get(result)?), told }))
    };
    file.folders.into_iter().map(known).collect()
}

fn examined((hash, texts, verdict, uses, findings): ResultLine<'_>, ruleset: &str) -> Option<Arc<Examined>> {
    let texts = texts.iter().map(|text| bytes_of(text)).collect::<Option<_>>()?;
    let used = |(capability, file, line, column, excerpt, more): Use| CapabilityUse {
        capability,
        file,
        line,
        column,
        excerpt,
        more,
    };
    let report = ScanReport {
        path: String::new(),
        verdict,
        hash: hash.to_owned(),
        ruleset: ruleset.to_owned(),
        uses: uses.into_iter().map(used).collect(),
        findings,
    };
    Some(Arc::new(Examined { texts, report }))
}

/// The file for folders. A path that is not Unicode has no place in it; such a folder is looked into each time.
pub fn written(folders: &Folders, ruleset: &str) -> Vec<u8> {
    let mut sorted: Vec<(&str, &Known)> =
        folders.iter().filter_map(|(path, known)| Some((path.to_str()?, known))).collect();
    sorted.sort_unstable_by_key(|(path, _)| *path);
    if sorted.len() > MOST_FOLDERS {
        sorted.retain(|(path, _)| Path::new(path).is_dir());
        sorted.truncate(MOST_FOLDERS);
    }
    let mut file = File { version: VERSION, ruleset, results: Vec::new(), folders: Vec::new() };
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (path, known) in sorted {
        let Examined { texts, report } = &*known.examined;
        let place = *places.entry(&report.hash).or_insert_with(|| {
            let texts = texts.iter().map(|text| hex(text)).collect();
            let uses = report.uses.iter().cloned().map(|used| {
                let CapabilityUse { capability, file, line, column, excerpt, more } = used;
                (capability, file, line, column, excerpt, more)
            });
            file.results.push((&report.hash, texts, report.verdict, uses.collect(), report.findings.clone()));
            file.results.len() - 1
        });
        let stamp = known.stamp.as_ref().map(|stamp| (hex(&stamp.digest), stamp.names.clone()));
        file.folders.push((path.to_owned(), stamp, place, known.told));
    }
    // Texts and numbers can always be written.
    serde_json::to_vec(&file).unwrap_or_default()
}

/// Bytes of so many hexadecimal digits; nothing of anything else.
fn bytes_of<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}
