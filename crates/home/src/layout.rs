//! Paths of the state folder, `~/.openclaw` unless overridden. Files shared with OpenClaw are at its top, our own under
//! `tarsus/`.

use std::path::{Path, PathBuf};

use tarsus_protocol::{ErrorCode, Problem};

use crate::config::view::{Agent, Agents};

/// Inputs that determine the state folder. Flags take precedence over environment variables, then the home folder.
#[derive(Debug, Clone, Default)]
pub struct HomeOptions {
    /// `--state-dir`.
    pub state_flag: Option<PathBuf>,
    /// `--config`.
    pub config_flag: Option<PathBuf>,
    /// `OPENCLAW_STATE_DIR`.
    pub state_env: Option<PathBuf>,
    /// `OPENCLAW_CONFIG_PATH`.
    pub config_env: Option<PathBuf>,
    /// The user's home folder.
    pub user_home: Option<PathBuf>,
    /// The working folder, against which relative paths are resolved.
    pub working_dir: PathBuf,
}

/// The state folder and the configuration file, as absolute paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    state: PathBuf,
    config: PathBuf,
    user_home: Option<PathBuf>,
}

impl Home {
    /// Determines the state folder and the configuration file. Does not access the disk.
    ///
    /// # Errors
    /// When nothing is set and there is no home folder.
    pub fn locate(choice: &HomeOptions) -> Result<Self, Problem> {
        let absolute = |path: &PathBuf| {
            let path = expand_tilde(path, choice.user_home.as_deref());
            choice.working_dir.join(path)
        };
        let given =
            |path: &Option<PathBuf>| path.as_ref().filter(|path| !path.as_os_str().is_empty()).map(absolute);
        let state = given(&choice.state_flag)
            .or_else(|| given(&choice.state_env))
            .or_else(|| choice.user_home.as_ref().map(|home| home.join(".openclaw")))
            .ok_or_else(|| {
                Problem::new(ErrorCode::Usage, "cannot tell where the state folder is")
                    .note("neither --state-dir, OPENCLAW_STATE_DIR nor a home folder is set")
                    .hint("add --state-dir DIR")
            })?;
        let config = given(&choice.config_flag)
            .or_else(|| given(&choice.config_env))
            .unwrap_or_else(|| state.join("openclaw.json"));
        Ok(Self { state, config, user_home: choice.user_home.clone() })
    }

    /// The state folder.
    #[must_use]
    pub fn state_dir(&self) -> &Path {
        &self.state
    }

    /// `openclaw.json`.
    #[must_use]
    pub fn config_path(&self) -> &Path {
        &self.config
    }

    /// The folder of our own files, `tarsus/`.
    #[must_use]
    pub fn own_dir(&self) -> PathBuf {
        self.state.join("tarsus")
    }

    /// Path of our own settings.
    #[must_use]
    pub fn settings_path(&self) -> PathBuf {
        self.own_dir().join("tarsus.json5")
    }

    /// The skill settings that are already recorded in the audit chain.
    #[must_use]
    pub fn recorded_skills_path(&self) -> PathBuf {
        self.own_dir().join("recorded-skills.json")
    }

    /// The gateway's generated token.
    #[must_use]
    pub fn token_path(&self) -> PathBuf {
        self.own_dir().join("gateway.token")
    }

    /// The secret store.
    #[must_use]
    pub fn secrets_path(&self) -> PathBuf {
        self.own_dir().join("secrets.json")
    }

    /// The key of the base hashes that clients send with a change.
    #[must_use]
    pub fn hash_key_path(&self) -> PathBuf {
        self.own_dir().join("hash.key")
    }

    /// The lock for changes of agent files. Not next to the files, because the workspace belongs to the agent.
    #[must_use]
    pub fn agent_files_lock_path(&self) -> PathBuf {
        self.own_dir().join("agent-files.lock")
    }

    /// The audit chain.
    #[must_use]
    pub fn audit_dir(&self) -> PathBuf {
        self.own_dir().join("audit")
    }

    /// The key of the audit chain. Not in its folder, so that it tells of a chain whose folder was removed.
    #[must_use]
    pub fn audit_key_path(&self) -> PathBuf {
        self.own_dir().join("audit.key")
    }

    /// Earlier versions of the configuration, and the last one known to be good.
    #[must_use]
    pub fn backups_dir(&self) -> PathBuf {
        self.own_dir().join("backups")
    }

    /// The lock of the one process that runs this state folder.
    #[must_use]
    pub fn runtime_lock_path(&self) -> PathBuf {
        self.own_dir().join("runtime.lock")
    }

    /// The space reserve for a full disk.
    #[must_use]
    pub fn reserve_path(&self) -> PathBuf {
        self.own_dir().join("reserve")
    }

    /// The database of sessions, transcripts and runs.
    #[must_use]
    pub fn store_path(&self) -> PathBuf {
        self.own_dir().join("store.db")
    }

    /// The folder of earlier contents of files that turns changed.
    #[must_use]
    pub fn checkpoints_dir(&self) -> PathBuf {
        self.own_dir().join("checkpoints")
    }

    /// The log files.
    #[must_use]
    pub fn logs_dir(&self) -> PathBuf {
        self.state.join("logs")
    }

    /// The default agent's workspace.
    #[must_use]
    pub fn default_workspace(&self) -> PathBuf {
        self.state.join("workspace")
    }

    /// Returns an agent's workspace: its own, else the common one for the default agent and `workspace-ID` for others.
    #[must_use]
    pub fn workspace(&self, agents: &Agents, agent: &Agent) -> PathBuf {
        let is_default = agents.default_agent().is_some_and(|default| default.id == agent.id);
        match (&agent.workspace, &agents.defaults.workspace) {
            (Some(own), _) => self.resolve(own),
            (None, Some(common)) if is_default => self.resolve(common),
            (None, None) if is_default => self.default_workspace(),
            (None, _) => self.state.join(format!("workspace-{}", agent.id)),
        }
    }

    /// The user's home folder, if known.
    #[must_use]
    pub fn user_home(&self) -> Option<&Path> {
        self.user_home.as_deref()
    }

    /// Formats a path for display: `~/…` below the home folder.
    #[must_use]
    pub fn display(&self, path: &Path) -> String {
        display_path(path, self.user_home.as_deref())
    }

    /// Resolves a path from the configuration: expands `~`; relative paths are below the state folder.
    #[must_use]
    pub fn resolve(&self, path: &str) -> PathBuf {
        self.state.join(expand_tilde(Path::new(path), self.user_home.as_deref()))
    }
}

/// Formats a path for display: `~/…` below `user_home`.
#[must_use]
pub fn display_path(path: &Path, user_home: Option<&Path>) -> String {
    match user_home.filter(|home| home.parent().is_some()).and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~{}{}", std::path::MAIN_SEPARATOR, rest.display()),
        None => path.display().to_string(),
    }
}

fn expand_tilde(path: &Path, user_home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), user_home) {
        (Ok(rest), Some(home)) if rest.as_os_str().is_empty() => home.to_path_buf(),
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice() -> HomeOptions {
        HomeOptions {
            user_home: Some("/home/ada".into()),
            working_dir: "/here".into(),
            ..HomeOptions::default()
        }
    }

    #[test]
    fn flags_override_environment_and_defaults() {
        let table: &[(HomeOptions, &str, &str)] = &[
            (choice(), "/home/ada/.openclaw", "/home/ada/.openclaw/openclaw.json"),
            (HomeOptions { state_env: Some("/env".into()), ..choice() }, "/env", "/env/openclaw.json"),
            (
                HomeOptions { state_env: Some("/env".into()), state_flag: Some("flag".into()), ..choice() },
                "/here/flag",
                "/here/flag/openclaw.json",
            ),
            (
                HomeOptions { config_env: Some("~/c.json".into()), ..choice() },
                "/home/ada/.openclaw",
                "/home/ada/c.json",
            ),
            (
                HomeOptions { config_env: Some("/e".into()), config_flag: Some("/f".into()), ..choice() },
                "/home/ada/.openclaw",
                "/f",
            ),
            (
                HomeOptions { state_env: Some("".into()), ..choice() },
                "/home/ada/.openclaw",
                "/home/ada/.openclaw/openclaw.json",
            ),
        ];
        for (given, state, config) in table {
            let home = Home::locate(given).unwrap();
            assert_eq!((home.state_dir(), home.config_path()), (Path::new(state), Path::new(config)));
        }
    }

    #[test]
    fn missing_home_folder_error_names_the_flag() {
        let problem = Home::locate(&HomeOptions::default()).unwrap_err();
        assert_eq!(problem.code, ErrorCode::Usage);
        assert!(problem.next_step().contains("--state-dir"));
    }

    #[test]
    fn paths_are_shown_below_the_home_folder() {
        let home = Some(Path::new("/home/ada"));
        let table =
            [("/home/ada/x", "~/x"), ("/home/ada", "~"), ("/home/adam/x", "/home/adam/x"), ("/etc", "/etc")];
        for (path, shown) in table {
            assert_eq!(display_path(Path::new(path), home).replace('\\', "/"), shown);
        }
        assert_eq!(display_path(Path::new("/etc"), Some(Path::new("/"))), "/etc");
    }
}
