//! How a skill's requirements can be installed on this machine, the preferred option first.

use tarsus_home::config::view::NodeManager;
use tarsus_protocol::skills::{InstallBy, InstallDestination, SkillInstall};

use super::EligibilityRules;
use super::command::command;
use crate::{InstallKind, InstallSpec};

/// Returns the options for this system. The first is preferred: Homebrew if it is installed and preferred, else uv,
/// Node, Homebrew, Go, a download.
pub(super) fn options(installs: &[InstallSpec], rules: &EligibilityRules<'_>) -> Vec<SkillInstall> {
    let mut options: Vec<SkillInstall> = installs
        .iter()
        .enumerate()
        .filter(|(_, install)| {
            install.os.is_empty() || install.os.iter().any(|os| rules.machine.is_system(os))
        })
        .map(|(index, install)| {
            (index, install, command(&install.kind, rules.skills.install.node_manager).ok())
        })
        .map(|(index, install, command)| SkillInstall {
            id: match install.id.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
                Some(id) => id.into(),
                None => format!("{}-{index}", install.kind.word()),
            },
            kind: by(&install.kind),
            label: match install.label.as_deref().map(str::trim).filter(|label| !label.is_empty()) {
                Some(label) => label.into(),
                None => label(&install.kind, rules.skills.install.node_manager),
            },
            bins: install.bins.clone(),
            destination: command
                .as_ref()
                .and_then(|_| destination(&install.kind, rules.skills.install.node_manager)),
            command: command.unwrap_or_default(),
        })
        .collect();
    if options.len() > 1 {
        let prefers_brew = rules.skills.install.prefer_brew.unwrap_or(true)
            && options.iter().any(|option| option.kind == InstallBy::Brew)
            && rules.machine.programs.find("brew").is_some();
        let best = options.iter().enumerate().min_by_key(|(_, option)| rank(option.kind, prefers_brew));
        if let Some((best, _)) = best {
            options[..=best].rotate_right(1);
        }
    }
    options
}

fn rank(kind: InstallBy, prefers_brew: bool) -> u8 {
    match kind {
        InstallBy::Brew if prefers_brew => 0,
        InstallBy::Uv => 1,
        InstallBy::Node => 2,
        InstallBy::Brew => 3,
        InstallBy::Go => 4,
        InstallBy::Download => 5,
    }
}

fn by(kind: &InstallKind) -> InstallBy {
    match kind {
        InstallKind::Brew { .. } => InstallBy::Brew,
        InstallKind::Node { .. } => InstallBy::Node,
        InstallKind::Go { .. } => InstallBy::Go,
        InstallKind::Uv { .. } => InstallBy::Uv,
        InstallKind::Download { .. } => InstallBy::Download,
    }
}

fn destination(kind: &InstallKind, node_manager: NodeManager) -> Option<InstallDestination> {
    Some(match (kind, node_manager) {
        (InstallKind::Brew { .. }, _) => InstallDestination::Homebrew,
        (InstallKind::Node { .. }, NodeManager::Npm) => InstallDestination::Npm,
        (InstallKind::Node { .. }, NodeManager::Pnpm) => InstallDestination::Pnpm,
        (InstallKind::Node { .. }, NodeManager::Yarn) => InstallDestination::Yarn,
        (InstallKind::Node { .. }, NodeManager::Bun) => InstallDestination::Bun,
        (InstallKind::Go { .. }, _) => InstallDestination::Go,
        (InstallKind::Uv { .. }, _) => InstallDestination::Uv,
        (InstallKind::Download { .. }, _) => return None,
    })
}

/// The label if the skill declares none.
fn label(kind: &InstallKind, node_manager: NodeManager) -> String {
    match kind {
        InstallKind::Brew { formula } => format!("Install {formula} with Homebrew"),
        InstallKind::Node { package } => {
            let manager = match node_manager {
                NodeManager::Npm => "npm",
                NodeManager::Pnpm => "pnpm",
                NodeManager::Yarn => "Yarn",
                NodeManager::Bun => "Bun",
            };
            format!("Install {package} with {manager}")
        }
        InstallKind::Go { module } => format!("Install {module} with Go"),
        InstallKind::Uv { package } => format!("Install {package} with uv"),
        InstallKind::Download { url, .. } => format!("Download {}", file_name(url)),
    }
}

/// The last segment of a URL, else the whole.
fn file_name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if last.is_empty() || last.len() + 3 > path.len() { url } else { last }
}
