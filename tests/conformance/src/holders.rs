//! Finds the files that contain a text, to check that a secret stays where it is stored.

use std::path::{Path, PathBuf};

/// The files below a folder that contain a text, as relative paths.
///
/// # Panics
/// When the folder cannot be read.
#[must_use]
pub fn holders(folder: &Path, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    files(folder, &mut all);
    let has = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    let below = |path: &PathBuf| {
        let below = path.strip_prefix(folder).map_or_else(|_| path.clone(), Path::to_path_buf);
        below.display().to_string().replace('\\', "/")
    };
    let mut found: Vec<String> = all.iter().filter(|path| has(path)).map(below).collect();
    found.sort();
    found
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder can be read").flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            files(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}
