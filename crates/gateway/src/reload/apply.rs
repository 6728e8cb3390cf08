//! Putting in force what the files say, and telling everybody what is different.

use std::sync::Arc;

use tarsus_home::config::{ConfigFile, Loaded};
use tarsus_protocol::event::{ConfigChanged, Event, SkillsChange};
use tarsus_protocol::report::{ConfigIssue, ConfigReload, RejectedFile};
use tarsus_protocol::{ErrorCode, Problem};

use super::in_force::Holding;
use super::judge::Next;
use crate::gateway::Gateway;
use crate::rpc::health_of;

/// Who changed a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// A client, who is answered once the change is in force.
    Request,
    /// Whoever decided about skills, here or at a terminal: that is in force in every mode, and nothing else is.
    Owner,
    /// Somebody on disk: `gateway.reload.mode` says what that leads to.
    Others,
}

impl Gateway {
    /// Reads the files of the configuration and puts each in force whole or not at all. Tells everybody what is
    /// different. With `other_secrets`, what the configuration refers to may be different too.
    ///
    /// # Errors
    /// When a client's change cannot be put in force, or the skills cannot be watched as it says.
    pub fn reload(&self, by: By, other_secrets: bool) -> Result<(), Problem> {
        let one_at_a_time = self.in_force.applying();
        let old = self.in_force.now();
        let file = ConfigFile::of(&self.given.home);
        let Next { holding, hash, credentials, refused } = Next::of(self, &file, &old, by);
        let new = Arc::new(holding);
        self.in_force.put(Arc::clone(&new));
        if let Some(credentials) = credentials {
            self.access.change(new.view.gateway.control_ui.allowed_origins.clone(), credentials);
        }
        let is_new = hash.is_some();
        let judged_otherwise = is_new || other_secrets || old.settings != new.settings;
        let skills = judged_otherwise.then(|| self.skills.configure(&new));
        self.tell_of(&old, &new, hash);
        if let Some(different) = skills {
            self.skills.tell(SkillsChange::ConfigChange, &different?);
        }
        drop(one_at_a_time);
        if by == By::Others {
            // A client who changed it hears so first.
            self.events.close_before(self.access.generation());
        }
        match (by, refused) {
            (By::Request, Some(issue)) => return Err(not_in_force(&issue)),
            (By::Owner | By::Others, _) if is_new => remember(&file, &new.config),
            _ => {}
        }
        Ok(())
    }

    /// Tells clients and the log what is different; `hash` is that of a configuration which is new.
    fn tell_of(&self, old: &Holding, new: &Holding, hash: Option<String>) {
        let is_new = hash.is_some();
        if let Some(hash) = hash {
            let path = self.given.home.config_path().display().to_string();
            tracing::info!(path, "the changed configuration is in force");
            self.events.tell(Event::ConfigChanged, &ConfigChanged { path, hash, ts: self.now_ms() });
        }
        if is_new || old.reload != new.reload {
            log(&old.reload, &new.reload);
            self.events.health_changed(&health_of(self, &new.view));
        }
    }
}

/// Keeps a version that was made by hand as the one to go back to, if nothing in it is wrong.
fn remember(file: &ConfigFile, config: &Loaded) {
    if config.issues.is_empty()
        && let Err(error) = file.remember(config)
    {
        tracing::warn!(%error, "the configuration is in force, but not kept as the last good one");
    }
}

/// For a client whose change is in the file beside something that cannot be used.
fn not_in_force(issue: &ConfigIssue) -> Problem {
    let ConfigIssue { path, message, .. } = issue;
    let why = if path.is_empty() { message.clone() } else { format!("{path}: {message}") };
    Problem::new(ErrorCode::Malformed, format!("the file was changed, but it is not in force: {why}"))
        .hint("`tarsus config validate` shows what is wrong, and where")
}

/// Says what is refused, where and why, and what waits for a restart, unless it was said before.
fn log(old: &ConfigReload, new: &ConfigReload) {
    for RejectedFile { path, issues } in new.rejected.iter().filter(|file| !old.rejected.contains(file)) {
        for ConfigIssue { path: key, message, line, column, .. } in issues {
            tracing::warn!(path, key, line, column, reason = message, "a changed file is not in force");
        }
    }
    for key in new.needs_restart.difference(&old.needs_restart) {
        tracing::warn!(key, "the new value holds after a restart");
    }
    if !old.rejected.is_empty() && new.rejected.is_empty() {
        tracing::info!("the files of the configuration can be used again");
    }
}
