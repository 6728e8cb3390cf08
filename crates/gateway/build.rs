//! Embeds the page into the program: Studio, built by Vite from `studio/`, or the plain page of `src/page` if Studio
//! cannot be built. `TARSUS_STUDIO=none` skips Studio; `TARSUS_STUDIO=required` fails the build without it.
#![allow(
    clippy::disallowed_methods,
    reason = "a build script reads the repository, runs npm and writes below OUT_DIR"
)]

#[path = "build/files.rs"]
mod files;
#[path = "build/studio.rs"]
mod studio;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use studio::{NotMade, Studio};

fn main() -> ExitCode {
    match embed() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cargo::error={why}");
            ExitCode::FAILURE
        }
    }
}

fn embed() -> Result<(), String> {
    let folder = |name| env::var_os(name).map(PathBuf::from).ok_or(format!("cargo sets no {name}"));
    let (here, out) = (folder("CARGO_MANIFEST_DIR")?, folder("OUT_DIR")?);
    let plain = here.join("src/page");
    rerun_if_changed(&plain);
    println!("cargo::rerun-if-env-changed=TARSUS_STUDIO");
    let page = match env::var("TARSUS_STUDIO").as_deref() {
        Ok("none") => plain,
        Ok("required") => studio(&here, &out).map_err(|not_made| {
            not_made.said.iter().for_each(|line| println!("cargo::error={line}"));
            format!("Studio, which TARSUS_STUDIO=required asks for, is not made: {}", not_made.why)
        })?,
        Ok("") | Err(env::VarError::NotPresent) => studio(&here, &out).unwrap_or_else(|not_made| {
            not_made.said.iter().for_each(|line| println!("cargo::warning={line}"));
            println!("cargo::warning=the program gets a plain page in place of Studio: {}", not_made.why);
            plain
        }),
        other => return Err(format!("TARSUS_STUDIO is `none`, `required` or not set, not {other:?}")),
    };
    let list = files::list(&page, &out)?;
    fs::write(out.join("files.rs"), list).map_err(|error| format!("the list of files: {error}"))
}

/// The folder of the built page.
fn studio(here: &Path, out: &Path) -> Result<PathBuf, NotMade> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let repository = here.ancestors().nth(2).unwrap_or(here);
    let studio = Studio { folder: repository.join("studio"), out: out.to_owned(), npm: npm.into() };
    for path in studio.watched() {
        rerun_if_changed(&path);
    }
    studio.make()
}

fn rerun_if_changed(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}
