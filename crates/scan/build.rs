//! The hash of this crate's sources and of the list of tools, by which kept reports are told from those of other rules or other code.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a build script reads the repository, and stops where it cannot"
)]

use std::path::{Path, PathBuf};
use std::{env, fs};

use sha2::{Digest, Sha256};

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the crate is"));
    let sources = here.join("src");
    println!("cargo::rerun-if-changed={}", sources.display());
    // The names of tools are part of the rules.
    let tools = here.join("../protocol/src/tool.rs");
    println!("cargo::rerun-if-changed={}", tools.display());
    let mut paths = vec![tools];
    collect(&sources, &mut paths);
    paths.sort();

    let mut hash = Sha256::new();
    for path in paths {
        let text = fs::read_to_string(path).expect("a source is text");
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=TARSUS_SCAN_HASH={digits}");
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("a name can be read").path();
        if path.is_dir() { collect(&path, paths) } else { paths.push(path) }
    }
}
