//! Decides what happens to changed files: accept, reject with a reason, or wait for a restart. Applies nothing.

use std::path::Path;

use tarsus_health::status::file_issue;
use tarsus_home::Home;
use tarsus_home::config::view::ReloadMode;
use tarsus_home::config::{ConfigError, ConfigFile, LoadedConfig, issues_added};
use tarsus_home::files;
use tarsus_home::settings::{self, Settings};
use tarsus_protocol::report::{ConfigIssue, ConfigReload, RejectedFile};
use tarsus_protocol::{ErrorCode, Problem};

use super::active_config::ActiveConfig;
use super::apply::ReloadTrigger;
use super::restart;
use crate::gateway::{Gateway, GatewayContext};
use tarsus_home::credentials::Credentials;

/// The outcome of reading the files.
pub(super) struct ReloadPlan {
    pub active: ActiveConfig,
    /// The hash of the configuration, if it changed.
    pub hash: Option<String>,
    /// The credentials, unless the configuration is rejected or waits.
    pub credentials: Option<Credentials>,
    /// Why the configuration is rejected.
    pub refused: Option<ConfigIssue>,
}

/// The decision about the configuration file.
enum Verdict {
    /// The credentials are unchanged.
    Same(Credentials),
    /// Becomes active.
    Accepted(Box<AcceptedConfig>),
    /// Becomes active after a restart; these sections differ.
    Waits(Vec<String>),
    /// The configuration is invalid.
    Refused(Vec<ConfigIssue>),
}

struct AcceptedConfig {
    config: LoadedConfig,
    hash: String,
    credentials: Credentials,
}

impl ReloadPlan {
    pub(super) fn new(gateway: &Gateway, file: &ConfigFile, old: &ActiveConfig, by: ReloadTrigger) -> Self {
        let read = file.load(&gateway.context.variables);
        let hash_of = |loaded: &LoadedConfig| loaded.exists.then(|| file.hash(loaded).ok()).flatten();
        let seen = read.as_ref().map_or_else(|_| file.hash_as_it_is().ok().flatten(), hash_of);
        // The new configuration decides its own reload mode.
        let mode = read.as_ref().unwrap_or(&old.config).view.gateway.reload.mode;
        let is_hot = by == ReloadTrigger::Request || matches!(mode, ReloadMode::Hot | ReloadMode::Hybrid);
        let mut reload = ConfigReload { hash: seen, ..ConfigReload::default() };
        let mut refused = None;
        let (config, hash, credentials) = match judge_config(gateway, file, read, old, is_hot) {
            Verdict::Same(credentials) => (None, None, Some(credentials)),
            Verdict::Accepted(taken) => (Some(taken.config), Some(taken.hash), Some(taken.credentials)),
            Verdict::Waits(sections) => {
                reload.needs_restart.extend(sections);
                (None, None, None)
            }
            Verdict::Refused(issues) => {
                refused = issues.first().cloned();
                reload.rejected.push(rejected(file.path(), issues));
                (None, None, None)
            }
        };
        let config = config.unwrap_or_else(|| old.config.clone());
        let home = &gateway.context.home;
        let mut settings = old.settings.clone();
        match read_settings(home, &old.settings) {
            Ok(new) => {
                let next = match is_hot {
                    true => new.clone(),
                    false if by == ReloadTrigger::Owner => {
                        Settings { skills: new.skills.clone(), ..old.settings.clone() }
                    }
                    false => old.settings.clone(),
                };
                reload.needs_restart.extend(restart::settings(&next, &new));
                match permit(gateway, &old.settings, &next) {
                    Ok(()) => settings = next,
                    Err(problem) => {
                        reload.rejected.push(rejected(&home.settings_path(), vec![file_issue(problem)]))
                    }
                }
            }
            Err(issue) => reload.rejected.push(rejected(&home.settings_path(), vec![issue])),
        }
        let startup = &gateway.active_config.startup;
        reload.needs_restart.extend(restart::keys(startup, &config.view.gateway, &settings));
        Self { active: ActiveConfig::new(config, settings, reload), hash, credentials, refused }
    }
}

fn judge_config(
    gateway: &Gateway,
    file: &ConfigFile,
    read: Result<LoadedConfig, ConfigError>,
    old: &ActiveConfig,
    is_hot: bool,
) -> Verdict {
    let refused = |problem: Problem| Verdict::Refused(vec![file_issue(problem)]);
    let config = match read {
        Ok(loaded) => loaded,
        Err(error) => return refused(error.into()),
    };
    if old.config.exists && !config.exists {
        return refused(file_removed());
    }
    let (before, after) = (&old.config.document, &config.document);
    let is_same = config.exists == old.config.exists && before.text() == after.text();
    if !is_same {
        // Same rule as for changes through the gateway: existing issues do not block a change.
        let issues = issues_added(&old.config.issues, config.issues.clone());
        if !issues.is_empty() {
            return Verdict::Refused(issues);
        }
        if !is_hot {
            return Verdict::Waits(restart::sections(before, after));
        }
    }
    let (server, context) = (&config.view.gateway, &gateway.context);
    let credentials = match Credentials::resolve(server, &context.home, &context.variables) {
        Ok(credentials) => credentials,
        Err(problem) => {
            let issue = ConfigIssue { path: "gateway.auth".to_owned(), code: None, ..file_issue(problem) };
            return Verdict::Refused(vec![issue]);
        }
    };
    if is_same {
        return Verdict::Same(credentials);
    }
    match file.hash(&config) {
        Ok(hash) => Verdict::Accepted(Box::new(AcceptedConfig { config, hash, credentials })),
        Err(error) => refused(error.into()),
    }
}

/// Records decisions edited into the settings file; they apply only once recorded.
fn permit(gateway: &Gateway, old: &Settings, new: &Settings) -> Result<(), Problem> {
    if new.enforcement != old.enforcement || new.skills != old.skills {
        record_manual_edits(&gateway.context, new)?;
    }
    Ok(())
}

pub(super) fn record_manual_edits(context: &GatewayContext, settings: &Settings) -> Result<(), Problem> {
    let by = tarsus_guard::ChangeOrigin { surface: "settings file".to_owned(), agent: None };
    tarsus_guard::record_manual_edits(&context.home, &context.audit, settings, &by, context.clock.now())?;
    Ok(())
}

/// Our settings, if they can be used.
fn read_settings(home: &Home, old: &Settings) -> Result<Settings, ConfigIssue> {
    let settings = settings::load(home).map_err(|error| file_issue(error.into()))?;
    let is_there = files::open(&home.settings_path()).map_err(|error| file_issue(error.into()))?.is_some();
    if is_there || settings == *old { Ok(settings) } else { Err(file_issue(file_removed())) }
}

/// A deleted file is not a change; the defaults apply after a restart.
fn file_removed() -> Problem {
    Problem::new(ErrorCode::NotFound, "the file was removed; its last version stays active until a restart")
}

fn rejected(path: &Path, issues: Vec<ConfigIssue>) -> RejectedFile {
    RejectedFile { path: path.display().to_string(), issues }
}
