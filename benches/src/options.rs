//! The command line of a measuring program.

use std::path::PathBuf;

/// Options of a measurement.
#[derive(Debug)]
pub struct Options {
    /// Print JSON.
    pub json: bool,
    /// The number of rounds.
    pub times: usize,
    /// The binary to measure.
    pub program: PathBuf,
}

impl Options {
    /// Parses `[--json] [FLAG N] [PROGRAM]`.
    ///
    /// # Errors
    /// Returns `usage` for unknown arguments, or the build command if the program is missing.
    pub fn read(arguments: Vec<String>, flag: &str, usual: usize, usage: &str) -> Result<Self, String> {
        let mut options = parsed(arguments, flag, usual).ok_or_else(|| usage.to_owned())?;
        options.program = options.program.canonicalize().map_err(|_| {
            let program = options.program.display();
            format!("error: {program} is not there: run `cargo build --profile dist -p tarsus`")
        })?;
        Ok(options)
    }
}

fn parsed(arguments: Vec<String>, flag: &str, usual: usize) -> Option<Options> {
    let mut options = Options { json: false, times: usual, program: beside_this_one()? };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => options.json = true,
            argument if argument == flag => {
                options.times = arguments.next()?.parse().ok().filter(|times| *times > 0)?;
            }
            argument if argument.starts_with('-') => return None,
            path => options.program = PathBuf::from(path),
        }
    }
    Some(options)
}

/// `target/dist/tarsus`, relative to `target/release/startup`.
fn beside_this_one() -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?;
    let target = this.ancestors().nth(2)?;
    Some(target.join("dist").join(format!("tarsus{}", std::env::consts::EXE_SUFFIX)))
}
