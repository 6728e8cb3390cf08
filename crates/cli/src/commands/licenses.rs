//! `licenses`: what Tarsus is built from, and on what terms. The list is made by `cargo xtask licenses`.

use serde::Serialize;
use tarsus_protocol::{ExitCode, Problem};

use crate::output::Output;

const LIST: &str = include_str!("../../assets/licenses.txt");

#[derive(Serialize)]
struct Part {
    name: &'static str,
    version: &'static str,
    license: &'static str,
}

/// Prints the list.
pub fn run(output: &mut Output) -> Result<ExitCode, Problem> {
    let parts: Vec<Part> = lines().filter_map(part).collect();
    output.show(&parts, |_| LIST.to_owned())?;
    Ok(ExitCode::Done)
}

/// The lines of the list, after its heading.
fn lines() -> impl Iterator<Item = &'static str> {
    LIST.lines().skip_while(|line| !line.is_empty()).skip(1)
}

fn part(line: &'static str) -> Option<Part> {
    let (name, rest) = line.split_once(' ')?;
    let (version, license) = rest.split_once(' ')?;
    Some(Part { name, version, license: license.trim_start() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_read() {
        let parts: Vec<Part> = lines().filter_map(part).collect();
        assert!(parts.len() > 20);
        assert_eq!(parts.len(), lines().count(), "a line without name, version and licence");
        assert!(parts.iter().all(|part| !part.license.is_empty()));
    }
}
