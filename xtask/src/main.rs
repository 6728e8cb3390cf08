//! Tasks of the workspace: files that are generated from the code, and a check for unused public items.
//!
//! Generated text is the same on every machine. `--check` changes nothing and names the command to run.
#![forbid(unsafe_code)]

mod config;
mod generated;
mod licenses;
mod protocol;
mod typescript;
mod unused;

use std::path::Path;
use std::process::ExitCode;

use generated::Generated;

const USAGE: &str = "\
usage: cargo xtask COMMAND [--check]
       cargo xtask unused

  protocol   write studio/src/generated from the types of the protocol
  config     write docs/reference/config-reference.md from the schema of the configuration
  licenses   write crates/cli/assets/licenses.txt from the packages in the product
  unused     list public items of the crates that no product code uses

  --check    change nothing; fail when a file is out of date";

#[derive(Debug, thiserror::Error)]
enum TaskError {
    #[error("{0}")]
    Usage(&'static str),
    #[error("cannot write {path}: {source}")]
    Write { path: &'static str, source: std::io::Error },
    #[error("{path} is out of date: run `cargo xtask {command}`")]
    Stale { path: &'static str, command: &'static str },
    #[error("cannot write the type {name}: {source}")]
    Type { name: String, source: typescript::NotSupported },
    #[error("cannot run cargo metadata: {0}")]
    Cargo(std::io::Error),
    #[error("cargo metadata failed:\n{0}")]
    Metadata(String),
    #[error("cannot read the answer of cargo metadata: {0}")]
    Answer(#[from] serde_json::Error),
    #[error("{0} names no licence: find it out before it goes into the product")]
    NoLicence(String),
    #[error("{0}")]
    Unused(String),
    #[error("the package {0} is not in the answer of cargo metadata")]
    NoPackage(String),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), TaskError> {
    let (command, check) = match arguments {
        ["unused"] => return unused::check(workspace()).map_err(TaskError::Unused),
        [command] => (*command, false),
        [command, "--check"] => (*command, true),
        _ => return Err(TaskError::Usage(USAGE)),
    };
    let root = workspace();
    let (command, files) = match command {
        "protocol" => ("protocol", protocol::generate()?),
        "config" => ("config", vec![config::generate()]),
        "licenses" => ("licenses", vec![licenses::generate(root)?]),
        _ => return Err(TaskError::Usage(USAGE)),
    };
    files.iter().try_for_each(|file| if check { file.check(root, command) } else { file.write(root) })
}

/// The root folder of the workspace.
fn workspace() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}
