//! What is to become of the files as they are now: taken over, refused with the reason, or left for a restart. Puts
//! nothing in force.

use std::path::Path;

use tarsus_home::Home;
use tarsus_home::config::view::ReloadMode;
use tarsus_home::config::{ConfigError, ConfigFile, Loaded, issues_added};
use tarsus_home::files;
use tarsus_home::settings::{self, Settings};
use tarsus_protocol::report::{ConfigIssue, ConfigReload, RejectedFile};
use tarsus_protocol::{ErrorCode, Problem};

use super::apply::By;
use super::in_force::Holding;
use super::restart;
use crate::credentials::Credentials;
use crate::gateway::{Gateway, Surroundings};
use crate::overview::whole_file;

/// What is to hold.
pub(super) struct Next {
    pub holding: Holding,
    /// The hash of the configuration, if it is another one than before.
    pub hash: Option<String>,
    /// What opens the gateway, unless the file that says so is refused or waits.
    pub credentials: Option<Credentials>,
    /// Why the configuration is refused.
    pub refused: Option<ConfigIssue>,
}

/// The configuration file by itself.
enum Verdict {
    /// It says what holds already.
    Same(Credentials),
    /// It is to hold.
    Taken(Box<Taken>),
    /// It is to hold after a restart: these sections of it are different.
    Waits(Vec<String>),
    /// It cannot be used.
    Refused(Vec<ConfigIssue>),
}

struct Taken {
    config: Loaded,
    hash: String,
    credentials: Credentials,
}

impl Next {
    pub(super) fn of(gateway: &Gateway, file: &ConfigFile, old: &Holding, by: By) -> Self {
        let read = file.load(&gateway.given.variables);
        let hash_of = |loaded: &Loaded| loaded.exists.then(|| file.hash(loaded).ok()).flatten();
        let seen = read.as_ref().map_or_else(|_| file.hash_as_it_is().ok().flatten(), hash_of);
        // The changed configuration itself says what a change leads to.
        let mode = read.as_ref().unwrap_or(&old.config).view.gateway.reload.mode;
        let takes_over = by == By::Request || matches!(mode, ReloadMode::Hot | ReloadMode::Hybrid);
        let mut reload = ConfigReload { hash: seen, ..ConfigReload::default() };
        let mut refused = None;
        let (config, hash, credentials) = match judge(gateway, file, read, old, takes_over) {
            Verdict::Same(credentials) => (None, None, Some(credentials)),
            Verdict::Taken(taken) => (Some(taken.config), Some(taken.hash), Some(taken.credentials)),
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
        let home = &gateway.given.home;
        let mut settings = old.settings.clone();
        match read_settings(home, &old.settings) {
            Ok(new) => {
                let next = match takes_over {
                    true => new.clone(),
                    false if by == By::Owner => {
                        Settings { skills: new.skills.clone(), ..old.settings.clone() }
                    }
                    false => old.settings.clone(),
                };
                reload.needs_restart.extend(restart::settings(&next, &new));
                match permit(gateway, &old.settings, &next) {
                    Ok(()) => settings = next,
                    Err(problem) => {
                        reload.rejected.push(rejected(&home.settings_path(), vec![whole_file(problem)]))
                    }
                }
            }
            Err(issue) => reload.rejected.push(rejected(&home.settings_path(), vec![issue])),
        }
        let began_with = &gateway.in_force.began_with;
        reload.needs_restart.extend(restart::keys(began_with, &config.view.gateway, &settings));
        Self { holding: Holding::new(config, settings, reload), hash, credentials, refused }
    }
}

fn judge(
    gateway: &Gateway,
    file: &ConfigFile,
    read: Result<Loaded, ConfigError>,
    old: &Holding,
    takes_over: bool,
) -> Verdict {
    let refused = |problem: Problem| Verdict::Refused(vec![whole_file(problem)]);
    let config = match read {
        Ok(loaded) => loaded,
        Err(error) => return refused(error.into()),
    };
    if old.config.exists && !config.exists {
        return refused(gone());
    }
    let (before, after) = (&old.config.document, &config.document);
    let is_same = config.exists == old.config.exists && before.text() == after.text();
    if !is_same {
        // The rule for changes through the gateway: what was wrong before does not stand in the way.
        let issues = issues_added(&old.config.issues, config.issues.clone());
        if !issues.is_empty() {
            return Verdict::Refused(issues);
        }
        if !takes_over {
            return Verdict::Waits(restart::sections(before, after));
        }
    }
    let (server, given) = (&config.view.gateway, &gateway.given);
    let credentials = match Credentials::choose(server, &given.home, &given.variables) {
        Ok(credentials) => credentials,
        Err(problem) => {
            let issue = ConfigIssue { path: "gateway.auth".to_owned(), code: None, ..whole_file(problem) };
            return Verdict::Refused(vec![issue]);
        }
    };
    if is_same {
        return Verdict::Same(credentials);
    }
    match file.hash(&config) {
        Ok(hash) => Verdict::Taken(Box::new(Taken { config, hash, credentials })),
        Err(error) => refused(error.into()),
    }
}

/// Writes down what somebody decided in the file itself, which may then be so.
fn permit(gateway: &Gateway, old: &Settings, new: &Settings) -> Result<(), Problem> {
    if new.enforcement != old.enforcement || new.skills != old.skills {
        note_edits(&gateway.given, new)?;
    }
    Ok(())
}

/// The same for what a start finds.
pub(super) fn note_edits(given: &Surroundings, settings: &Settings) -> Result<(), Problem> {
    let by = tarsus_guard::By { surface: "settings file".to_owned(), agent: None };
    tarsus_guard::note_edits(&given.home, &given.audit, settings, &by, given.clock.now())?;
    Ok(())
}

/// Our settings, if they can be used.
fn read_settings(home: &Home, old: &Settings) -> Result<Settings, ConfigIssue> {
    let settings = settings::load(home).map_err(|error| whole_file(error.into()))?;
    let is_there = files::open(&home.settings_path()).map_err(|error| whole_file(error.into()))?.is_some();
    if is_there || settings == *old { Ok(settings) } else { Err(whole_file(gone())) }
}

/// Nobody deletes a file to change what it says; a restart begins with the defaults.
fn gone() -> Problem {
    Problem::new(ErrorCode::NotFound, "the file is gone; what it said before holds until a restart")
}

fn rejected(path: &Path, issues: Vec<ConfigIssue>) -> RejectedFile {
    RejectedFile { path: path.display().to_string(), issues }
}
