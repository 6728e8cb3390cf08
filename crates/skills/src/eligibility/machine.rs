//! This machine as skills depend on it: its system, programs and environment variables.

use std::fmt;

use tarsus_host::path::SearchPath;

/// Looks up environment variables.
pub type EnvLookup = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// This machine at one moment; a change needs a new value.
pub struct MachineState {
    /// Platform id: `linux`, `darwin` or `win32`.
    pub platform: &'static str,
    /// Programs on PATH; each folder is read once.
    pub programs: SearchPath,
    /// Environment variables.
    pub variables: EnvLookup,
}

impl MachineState {
    /// Whether this machine runs the system that a skill names.
    #[must_use]
    pub fn is_system(&self, name: &str) -> bool {
        is_same_system(self.platform, name)
    }
}

/// Leaves out the variables, which are often secrets.
impl fmt::Debug for MachineState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineState").field("platform", &self.platform).finish_non_exhaustive()
    }
}

/// Whether two names mean one system. Skills write them in several ways.
fn is_same_system(left: &str, right: &str) -> bool {
    fn normalize(name: &str) -> String {
        match name.trim().to_ascii_lowercase().as_str() {
            "macos" | "mac" => "darwin".to_owned(),
            "windows" => "win32".to_owned(),
            other => other.to_owned(),
        }
    }
    normalize(left) == normalize(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_names_have_aliases() {
        let systems = [&["darwin", "macos", "mac", "macOS"][..], &["linux", "Linux"], &["win32", "windows"]];
        for (at, names) in systems.iter().enumerate() {
            for (other, others) in systems.iter().enumerate() {
                for (left, right) in
                    names.iter().flat_map(|left| others.iter().map(move |right| (left, right)))
                {
                    assert_eq!(is_same_system(left, right), at == other, "{left} {right}");
                }
            }
        }
        assert!(!is_same_system("linux", "") && !is_same_system("win", "windows"));
    }
}
