//! The format of the cache file: JSON arrays without field names, because the whole file is read each time.
//!
//! Decoding is all or nothing: a file with anything unexpected in it is rejected.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tarsus_protocol::capability::Capability;
use tarsus_protocol::scan::{CapabilityUse, Finding, ScanReport, ScanVerdict};
use tarsus_text::hex;

use super::FolderScan;
use super::stamp::StableStamp;

/// Format version; other versions are rejected.
const VERSION: u32 = 2;
/// Cached folders: enough for the two largest sources.
pub const MAX_FOLDERS: usize = 40_000;

/// A folder and its last scan result.
#[derive(Debug, Clone, PartialEq)]
pub struct CachedFolder {
    /// The stamp from before the scan, if later changes are sure to alter it.
    pub stamp: Option<StableStamp>,
    pub scan: Arc<FolderScan>,
    /// Whether this content was recorded as blocked.
    pub reported: bool,
}

/// Cached folders by path.
pub type Folders = HashMap<PathBuf, CachedFolder>;

#[derive(Serialize, Deserialize)]
struct File<'a> {
    version: u32,
    ruleset: &'a str,
    #[serde(borrow)]
    results: Vec<ResultLine<'a>>,
    folders: Vec<FolderLine>,
}

/// Folder hash, text hashes, verdict, uses, findings.
type ResultLine<'a> = (&'a str, Vec<String>, ScanVerdict, Vec<Use>, Vec<Finding>);
/// Path, stamp digest with names, index of the result, whether it was reported.
type FolderLine = (String, Option<(String, Vec<String>)>, usize, bool);
/// Capability, file, line, column, excerpt, further files.
type Use = (Capability, String, u32, u32, String, u32);

/// Decodes a cache file; `None` if it is invalid or of another ruleset.
pub fn decode(bytes: &[u8], ruleset: &str) -> Option<Folders> {
    let file: File<'_> = serde_json::from_slice(bytes).ok()?;
    if file.version != VERSION || file.ruleset != ruleset {
        return None;
    }
    let results =
        file.results.into_iter().map(|line| decode_result(line, ruleset)).collect::<Option<Vec<_>>>()?;
    let known = |(path, stamp, result, reported): FolderLine| {
        let stamp = match stamp {
            Some((digest, names)) => Some(StableStamp { digest: decode_hex(&digest)?, names }),
            None => None,
        };
        Some((path.into(), CachedFolder { stamp, scan: Arc::clone(results.get(result)?), reported }))
    };
    file.folders.into_iter().map(known).collect()
}

fn decode_result(
    (hash, texts, verdict, uses, findings): ResultLine<'_>,
    ruleset: &str,
) -> Option<Arc<FolderScan>> {
    let texts = texts.iter().map(|text| decode_hex(text)).collect::<Option<_>>()?;
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
    Some(Arc::new(FolderScan { texts, report }))
}

/// Encodes a cache file. Folders whose path is not Unicode are left out and scanned each time.
pub fn encode(folders: &Folders, ruleset: &str) -> Vec<u8> {
    let mut sorted: Vec<(&str, &CachedFolder)> =
        folders.iter().filter_map(|(path, known)| Some((path.to_str()?, known))).collect();
    sorted.sort_unstable_by_key(|(path, _)| *path);
    if sorted.len() > MAX_FOLDERS {
        sorted.retain(|(path, _)| Path::new(path).is_dir());
        sorted.truncate(MAX_FOLDERS);
    }
    let mut file = File { version: VERSION, ruleset, results: Vec::new(), folders: Vec::new() };
    let mut indices: HashMap<&str, usize> = HashMap::new();
    for (path, known) in sorted {
        let FolderScan { texts, report } = &*known.scan;
        let index = *indices.entry(&report.hash).or_insert_with(|| {
            let texts = texts.iter().map(|text| hex(text)).collect();
            let uses = report.uses.iter().cloned().map(|used| {
                let CapabilityUse { capability, file, line, column, excerpt, more } = used;
                (capability, file, line, column, excerpt, more)
            });
            file.results.push((&report.hash, texts, report.verdict, uses.collect(), report.findings.clone()));
            file.results.len() - 1
        });
        let stamp = known.stamp.as_ref().map(|stamp| (hex(&stamp.digest), stamp.names.clone()));
        file.folders.push((path.to_owned(), stamp, index, known.reported));
    }
    // Strings and numbers always serialize.
    serde_json::to_vec(&file).unwrap_or_default()
}

/// Decodes exactly `2 * N` hexadecimal digits.
fn decode_hex<const N: usize>(digits: &str) -> Option<[u8; N]> {
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
