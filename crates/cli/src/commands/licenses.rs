//! `licenses`: the dependencies and their licences, from the list that `cargo xtask licenses` generates.

use serde::Serialize;
use tarsus_protocol::{ExitCode, Problem};

use crate::output::Output;

const LIST: &str = include_str!("../../assets/licenses.txt");

#[derive(Serialize)]
struct Dependency {
    name: &'static str,
    version: &'static str,
    license: &'static str,
}

pub fn run(output: &mut Output) -> Result<ExitCode, Problem> {
    let dependencies: Vec<Dependency> = lines().filter_map(parse_dependency).collect();
    output.show(&dependencies, |_| LIST.to_owned())?;
    Ok(ExitCode::Done)
}

/// The lines of the list, after its heading.
fn lines() -> impl Iterator<Item = &'static str> {
    LIST.lines().skip_while(|line| !line.is_empty()).skip(1)
}

fn parse_dependency(line: &'static str) -> Option<Dependency> {
    let (name, rest) = line.split_once(' ')?;
    let (version, license) = rest.split_once(' ')?;
    Some(Dependency { name, version, license: license.trim_start() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_license_line_is_parsed() {
        let dependencies: Vec<Dependency> = lines().filter_map(parse_dependency).collect();
        assert!(dependencies.len() > 20);
        assert_eq!(dependencies.len(), lines().count(), "a line without name, version and licence");
        assert!(dependencies.iter().all(|part| !part.license.is_empty()));
    }
}
