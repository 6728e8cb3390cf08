//! Generates the table of page files (path, content type, bytes) that `src/assets.rs` includes.
//!
//! Each file has its ETag and, if smaller, a compressed form. A file with an unknown content type or odd characters in
//! its name is an error.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::studio::{collect, hex};

/// Content types by file extension.
const KINDS: [(&str, &str); 10] = [
    ("html", "text/html; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("map", "application/json"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("ico", "image/x-icon"),
    ("woff2", "font/woff2"),
    ("txt", "text/plain; charset=utf-8"),
];

/// Generates the table of the files below `page`; compressed forms are written below `out`.
pub fn list(page: &Path, out: &Path) -> Result<String, String> {
    let failed = |what: &Path, error: std::io::Error| format!("{}: {error}", what.display());
    let mut paths = Vec::new();
    collect(page, &mut paths).map_err(|error| failed(page, error))?;
    paths.sort();
    let smaller = out.join("gzip");
    // Compressed files of earlier builds would add up.
    let _ = fs::remove_dir_all(&smaller);
    fs::create_dir_all(&smaller).map_err(|error| failed(&smaller, error))?;

    let mut list = "&[\n".to_owned();
    for path in paths {
        let address = address(page, &path)?;
        let kind = kind(&address).ok_or(format!("{}: of no known kind", path.display()))?;
        let bytes = fs::read(&path).map_err(|error| failed(&path, error))?;
        let hash = &hex(&Sha256::digest(&bytes))[..32];
        let gzip = match gzip(&bytes) {
            Some(fewer) => {
                let at = smaller.join(hash);
                fs::write(&at, fewer).map_err(|error| failed(&at, error))?;
                format!("Some(include_bytes!({at:?}))")
            }
            None => "None".to_owned(),
        };
        let row = writeln!(
            list,
            "    File {{ path: {address:?}, kind: {kind:?}, hash: {hash:?}, bytes: include_bytes!({path:?}), gzip: {gzip} }},"
        );
        row.map_err(|error| error.to_string())?;
    }
    list.push(']');
    Ok(list)
}

/// The URL path of a file; `/` for the page itself.
fn address(page: &Path, path: &Path) -> Result<String, String> {
    let below = path.strip_prefix(page).map_err(|error| error.to_string())?;
    let is_plain =
        |step: &str| step.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let steps = below.iter().map(|step| step.to_str().filter(|step| is_plain(step)));
    let steps: Option<Vec<_>> = steps.collect();
    let address = steps.ok_or(format!("{}: a name with odd characters", path.display()))?.join("/");
    Ok(format!("/{}", if address == "index.html" { "" } else { &address }))
}

fn kind(address: &str) -> Option<&'static str> {
    let end = if address == "/" { "html" } else { address.rsplit_once('.')?.1 };
    KINDS.iter().find(|(known, _)| *known == end).map(|(_, kind)| *kind)
}

/// The compressed bytes, if that saves at least a tenth.
fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).ok()?;
    let fewer = encoder.finish().ok()?;
    (fewer.len() < bytes.len() / 10 * 9).then_some(fewer)
}
