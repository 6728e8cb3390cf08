//! Applies changed files and publishes the differences.

use std::sync::Arc;

use tarsus_home::config::{ConfigFile, LoadedConfig};
use tarsus_protocol::event::{ConfigChanged, Event, SkillsChange};
use tarsus_protocol::report::{ConfigIssue, ConfigReload, RejectedFile};
use tarsus_protocol::{ErrorCode, Problem};

use super::active_config::ActiveConfig;
use super::plan::ReloadPlan;
use crate::gateway::Gateway;
use crate::rpc::health_summary;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReloadTrigger {
    /// A client request, answered once the change is active.
    Request,
    /// A decision about skills: applied in every reload mode, nothing else is.
    Owner,
    /// A change on disk, handled according to `gateway.reload.mode`.
    FileChange,
}

impl Gateway {
    /// Reads the configuration files, activates each as a whole or not at all, and publishes the differences. With
    /// `other_secrets`, values that the configuration refers to may differ, too.
    ///
    /// # Errors
    /// If a client's change cannot be activated, or the skills cannot be watched.
    pub fn reload(&self, by: ReloadTrigger, other_secrets: bool) -> Result<(), Problem> {
        let apply_lock = self.active_config.lock_apply();
        let old = self.active_config.current();
        let file = ConfigFile::for_home(&self.context.home);
        let ReloadPlan { active, hash, credentials, refused } = ReloadPlan::new(self, &file, &old, by);
        let new = Arc::new(active);
        self.active_config.put(Arc::clone(&new));
        if let Some(credentials) = credentials {
            self.access.change(new.view.gateway.control_ui.allowed_origins.clone(), credentials);
        }
        let is_new = hash.is_some();
        let judged_otherwise = is_new || other_secrets || old.settings != new.settings;
        let skills = judged_otherwise.then(|| self.skills.configure(&new));
        if is_new && by != ReloadTrigger::Request {
            // Before the event: whoever receives it finds the folder at rest.
            remember(&file, &new.config);
        }
        self.publish_changes(&old, &new, hash);
        if let Some(different) = skills {
            self.skills.publish(SkillsChange::ConfigChange, &different?);
        }
        drop(apply_lock);
        if by == ReloadTrigger::FileChange {
            // A client that made the change receives its reply first.
            self.events.close_older_generations(self.access.generation());
        }
        match refused {
            Some(issue) if by == ReloadTrigger::Request => Err(not_in_force(&issue)),
            _ => Ok(()),
        }
    }

    /// Publishes and logs the differences; `hash` belongs to a new configuration.
    fn publish_changes(&self, old: &ActiveConfig, new: &ActiveConfig, hash: Option<String>) {
        let is_new = hash.is_some();
        if let Some(hash) = hash {
            let path = self.context.home.config_path().display().to_string();
            tracing::info!(path, "the changed configuration is active");
            self.events.publish(Event::ConfigChanged, &ConfigChanged { path, hash, ts: self.now_ms() });
        }
        if is_new || old.reload != new.reload {
            log(&old.reload, &new.reload);
            self.events.health_changed(&health_summary(self, &new.view));
        }
    }
}

/// Keeps a valid version that was edited by hand as the last known good one.
fn remember(file: &ConfigFile, config: &LoadedConfig) {
    if config.issues.is_empty()
        && let Err(error) = file.remember(config)
    {
        tracing::warn!(%error, "the configuration is active, but could not be saved as the last good one");
    }
}

/// The error for a client whose change was written, but whose file is rejected.
fn not_in_force(issue: &ConfigIssue) -> Problem {
    let ConfigIssue { path, message, .. } = issue;
    let why = if path.is_empty() { message.clone() } else { format!("{path}: {message}") };
    Problem::new(ErrorCode::Malformed, format!("the file was changed, but is not active: {why}"))
        .hint("`tarsus config validate` shows the errors")
}

/// Logs what is rejected and what waits for a restart, once.
fn log(old: &ConfigReload, new: &ConfigReload) {
    for RejectedFile { path, issues } in new.rejected.iter().filter(|file| !old.rejected.contains(file)) {
        for ConfigIssue { path: key, message, line, column, .. } in issues {
            tracing::warn!(path, key, line, column, reason = message, "a changed file was rejected");
        }
    }
    for key in new.needs_restart.difference(&old.needs_restart) {
        tracing::warn!(key, "the new value takes effect after a restart");
    }
    if !old.rejected.is_empty() && new.rejected.is_empty() {
        tracing::info!("the configuration files are valid again");
    }
}
