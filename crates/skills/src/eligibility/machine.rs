//! What skills may rely on: the system, its programs and variables, and what connected machines add.

use std::collections::BTreeSet;

use tarsus_home::config::Lookup;
use tarsus_host::path::SearchPath;

/// The machine that skills are judged for, and those connected to it.
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    /// The system: `linux`, `darwin` or `win32`.
    pub platform: &'a str,
    /// Its programs. One search for a whole evaluation, so that each folder is read once.
    pub programs: &'a SearchPath,
    /// The environment.
    pub variables: Lookup<'a>,
    /// Connected machines that can run programs.
    pub nodes: &'a [RemoteNode],
}

/// A connected machine that can run programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteNode {
    /// Its system.
    pub platform: String,
    /// The programs it is known to have.
    pub bins: BTreeSet<String>,
}

impl Machine<'_> {
    /// Whether this is a machine of that system, or one is connected.
    #[must_use]
    pub fn is(&self, system: &str) -> bool {
        self.is_here(system) || self.nodes.iter().any(|node| same_system(&node.platform, system))
    }

    /// Whether this very machine is of that system.
    #[must_use]
    pub fn is_here(&self, system: &str) -> bool {
        same_system(self.platform, system)
    }

    /// Whether a program is here or on a connected machine.
    #[must_use]
    pub fn has_program(&self, name: &str) -> bool {
        self.programs.find(name).is_some() || self.nodes.iter().any(|node| node.bins.contains(name))
    }
}

/// Whether two words name one system. Skills write them in several ways.
fn same_system(left: &str, right: &str) -> bool {
    fn usual(word: &str) -> String {
        match word.trim().to_ascii_lowercase().as_str() {
            "macos" | "mac" => "darwin".to_owned(),
            "windows" => "win32".to_owned(),
            other => other.to_owned(),
        }
    }
    usual(left) == usual(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_has_several_names() {
        let systems = [&["darwin", "macos", "mac", "macOS"][..], &["linux", "Linux"], &["win32", "windows"]];
        for (at, names) in systems.iter().enumerate() {
            for (other, others) in systems.iter().enumerate() {
                for (left, right) in
                    names.iter().flat_map(|left| others.iter().map(move |right| (left, right)))
                {
                    assert_eq!(same_system(left, right), at == other, "{left} {right}");
                }
            }
        }
        assert!(!same_system("linux", "") && !same_system("win", "windows"));
    }
}
