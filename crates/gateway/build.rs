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

use studio::{BuildError, Studio};

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
    let folder = |name| env::var_os(name).map(PathBuf::from).ok_or(format!("cargo did not set {name}"));
    let (here, out) = (folder("CARGO_MANIFEST_DIR")?, folder("OUT_DIR")?);
    let plain = here.join("src/page");
    rerun_if_changed(&plain);
    println!("cargo::rerun-if-env-changed=TARSUS_STUDIO");
    let page = match env::var("TARSUS_STUDIO").as_deref() {
        Ok("none") => plain,
        Ok("required") => studio(&here, &out).map_err(|error| {
            error.output.iter().for_each(|line| println!("cargo::error={line}"));
            format!("TARSUS_STUDIO=required is set, but Studio cannot be built: {}", error.why)
        })?,
        Ok("") | Err(env::VarError::NotPresent) => studio(&here, &out).unwrap_or_else(|error| {
            error.output.iter().for_each(|line| println!("cargo::warning={line}"));
            println!(
                "cargo::warning=Studio cannot be built, so the program gets a plain page instead: {}",
                error.why
            );
            plain
        }),
        other => return Err(format!("TARSUS_STUDIO must be `none`, `required` or unset, not {other:?}")),
    };
    let list = files::list(&page, &out)?;
    fs::write(out.join("files.rs"), list).map_err(|error| format!("the list of files: {error}"))
}

/// The folder of the built page.
fn studio(here: &Path, out: &Path) -> Result<PathBuf, BuildError> {
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let repository = here.ancestors().nth(2).unwrap_or(here);
    let studio = Studio { folder: repository.join("studio"), out: out.to_owned(), npm: npm.into() };
    for path in studio.watched() {
        rerun_if_changed(&path);
    }
    studio.build()
}

fn rerun_if_changed(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}
