//! Builds the command that installs a requirement of a skill: a program and its arguments, without a shell.
//!
//! Names that a program could take for an option, an address or a path are refused. Install scripts of packages are
//! disabled.

use tarsus_home::config::view::NodeManager;

use crate::InstallKind;
use crate::parse::install::{is_formula, is_module, is_npm_package, is_uv_package};

/// Bytes of a package name, as npm limits it.
const MAX_NAME_BYTES: usize = 214;

/// Why there is no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InstallCommandError {
    /// The name is not that of a package.
    #[error("it does not name a package that can be installed safely")]
    Name,
    /// A Go module without a version.
    #[error(
        "`go install` needs a module with a version, as in `example.org/tool@latest`, and the skill names none"
    )]
    Version,
    /// A download.
    #[error("downloads are not supported: download the file yourself and put the program on PATH")]
    Download,
}

/// Returns the program and its arguments.
///
/// # Errors
/// If the option cannot be run.
pub fn command(kind: &InstallKind, node_manager: NodeManager) -> Result<Vec<String>, InstallCommandError> {
    let (program, name, is_safe): (&[&str], _, fn(&str) -> bool) = match kind {
        InstallKind::Brew { formula } => (&["brew", "install"], formula, is_formula),
        InstallKind::Node { package } => (node(node_manager), package, is_npm_package),
        InstallKind::Go { module } => (&["go", "install"], module, is_module),
        InstallKind::Uv { package } => (&["uv", "tool", "install"], package, is_uv_package),
        InstallKind::Download { .. } => return Err(InstallCommandError::Download),
    };
    if name.len() > MAX_NAME_BYTES || name.contains("..") || !is_safe(name) {
        return Err(InstallCommandError::Name);
    }
    if matches!(kind, InstallKind::Go { .. }) && !name.contains('@') {
        return Err(InstallCommandError::Version);
    }
    Ok(program.iter().copied().chain([name.as_str()]).map(str::to_owned).collect())
}

const fn node(manager: NodeManager) -> &'static [&'static str] {
    match manager {
        NodeManager::Npm => &["npm", "install", "-g", "--ignore-scripts"],
        NodeManager::Pnpm => &["pnpm", "add", "-g", "--ignore-scripts"],
        NodeManager::Yarn => &["yarn", "global", "add", "--ignore-scripts"],
        NodeManager::Bun => &["bun", "add", "-g", "--ignore-scripts"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brew(name: &str) -> InstallKind {
        InstallKind::Brew { formula: name.to_owned() }
    }

    fn node(name: &str) -> InstallKind {
        InstallKind::Node { package: name.to_owned() }
    }

    fn go(name: &str) -> InstallKind {
        InstallKind::Go { module: name.to_owned() }
    }

    fn uv(name: &str) -> InstallKind {
        InstallKind::Uv { package: name.to_owned() }
    }

    #[test]
    fn each_kind_has_its_command() {
        let table = [
            (brew("jq"), NodeManager::Npm, "brew install jq"),
            (brew("owner/tap/tool@2"), NodeManager::Npm, "brew install owner/tap/tool@2"),
            (
                node("@scope/tool@1.2.3"),
                NodeManager::Npm,
                "npm install -g --ignore-scripts @scope/tool@1.2.3",
            ),
            (node("tool@latest"), NodeManager::Pnpm, "pnpm add -g --ignore-scripts tool@latest"),
            (node("tool"), NodeManager::Yarn, "yarn global add --ignore-scripts tool"),
            (node("tool"), NodeManager::Bun, "bun add -g --ignore-scripts tool"),
            (go("example.org/x/tool@latest"), NodeManager::Npm, "go install example.org/x/tool@latest"),
            (uv("tool[extra]==1.0"), NodeManager::Npm, "uv tool install tool[extra]==1.0"),
        ];
        for (kind, manager, expected) in table {
            assert_eq!(command(&kind, manager).map(|words| words.join(" ")), Ok(expected.to_owned()));
        }
    }

    #[test]
    fn unsafe_package_names_are_refused() {
        let long = "a".repeat(MAX_NAME_BYTES + 1);
        let names = [
            "",
            "-g",
            "--prefix=/",
            "a b",
            "a;b",
            "$(a)",
            "`a`",
            "a\nb",
            "a\0b",
            "../a",
            "a/../b",
            "/etc/a",
            "./a",
            "file:a",
            "https://example.org/a.tgz",
            "git+ssh://a",
            "a&b",
            "a|b",
            "é",
            " a",
            "@",
            "@/a",
            &long,
        ];
        for name in names {
            for kind in [brew(name), node(name), go(&format!("{name}@v1")), uv(name)] {
                let refused = command(&kind, NodeManager::Npm);
                assert_eq!(refused, Err(InstallCommandError::Name), "{kind:?}");
            }
        }
        for range in ["a@^1", "a@>1", "a@1.x || 2"] {
            assert_eq!(command(&node(range), NodeManager::Npm), Err(InstallCommandError::Name), "{range}");
        }
    }

    #[test]
    fn unsupported_kinds_are_refused_with_a_reason() {
        assert_eq!(command(&go("example.org/tool"), NodeManager::Npm), Err(InstallCommandError::Version));
        let download = InstallKind::Download { url: "https://example.org/a.zip".to_owned(), sha256: None };
        assert_eq!(command(&download, NodeManager::Npm), Err(InstallCommandError::Download));
    }
}
