//! Puts the bundled skills (`skills/` of the repository) into the program: a list of each file's path and bytes.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a build script reads the repository, and stops where it cannot"
)]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the crate is"));
    let skills = here.join("../../skills");
    println!("cargo::rerun-if-changed={}", skills.display());
    let mut paths = Vec::new();
    collect(&skills, &mut paths);
    paths.sort();

    let mut list = "&[\n".to_owned();
    for path in paths {
        let below = path.strip_prefix(&skills).expect("a path below the folder");
        let name =
            below.iter().map(|step| step.to_str().expect("a name is text")).collect::<Vec<_>>().join("/");
        writeln!(list, "    ({name:?}, include_bytes!({path:?})),").expect("a text can be written to");
    }
    list.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    fs::write(out.join("bundled.rs"), list).expect("the list can be written");
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("a name can be read").path();
        if path.is_dir() { collect(&path, paths) } else { paths.push(path) }
    }
}
