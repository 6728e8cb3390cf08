//! The Application Manager: what is registered, changed, launched and stopped.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Change, NoParams, methods};
use crate::apps::{AppActed, AppChange, AppCheck, AppList, AppMode};
use crate::frame::present;

methods! {
    #[doc = "Every registered app, and whether it runs."]
    List = "apps.list", NoParams => AppList<'static>, Read;
    #[doc = "Makes the registry, without apps."]
    Create = "apps.create", NoParams => AppChange, Admin;
    #[doc = "Checks every entry of the registry."]
    Validate = "apps.validate", NoParams => AppCheck, Read;
    #[doc = "Adds an app, or makes one exactly what is given; fields that nobody knows stay."]
    Save = "apps.save", AppSaveParams => AppChange, Admin;
    #[doc = "Changes what is named of an app; everything else stays as it is written."]
    Patch = "apps.patch", AppPatchParams => AppChange, Admin;
    #[doc = "Takes an app out of the registry."]
    Delete = "apps.delete", AppDeleteParams => AppDeleted, Admin;
    #[doc = "Puts an app that was taken out back as it was written, unless there is one of its name."]
    Restore = "apps.restore", AppRestoreParams => AppChange, Admin;
    #[doc = "Launches an app for an agent, if its policy lets it."]
    Launch = "apps.launch", AppRunParams => AppActed, Write;
    #[doc = "Stops an app for an agent, if its policy lets it."]
    Stop = "apps.stop", AppStopParams => AppActed, Write;
}

/// An entry of the registry that was agreed to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppSaveParams {
    /// The app.
    pub name: String,
    /// What it is.
    pub entry: AppEntry,
    /// The hash of the registry that was seen.
    pub base_hash: Option<String>,
}

/// What an app is; names as in the registry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppEntry {
    /// What is launched.
    #[schemars(length(min = 1))]
    pub launch_path: String,
    /// The program that then runs.
    pub runtime_exe: Option<String>,
    /// The name of its process.
    pub process_name: Option<String>,
    /// Who may launch it, in one word.
    pub mode: AppMode,
    /// The agents of an allowlist.
    pub allowed_agents: Option<Vec<String>>,
}

/// A change of an entry that was agreed to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppPatchParams {
    /// The app.
    pub name: String,
    /// What becomes another.
    pub patch: AppPatch,
    /// The hash of the registry that was seen.
    pub base_hash: Option<String>,
}

/// What becomes another; names as in the registry. What is not named stays, what is `null` is taken out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AppPatch {
    /// What is launched.
    #[schemars(length(min = 1))]
    pub launch_path: Option<String>,
    /// The program that then runs.
    #[serde(deserialize_with = "present")]
    pub runtime_exe: Option<Change<String>>,
    /// The name of its process.
    #[serde(deserialize_with = "present")]
    pub process_name: Option<Change<String>>,
    /// Who may launch it, in one word.
    pub mode: Option<AppMode>,
    /// The agents of an allowlist; only beside a mode.
    pub allowed_agents: Option<Vec<String>>,
}

/// An app that is to go.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppDeleteParams {
    /// The app.
    pub name: String,
    /// The hash of the registry that was seen.
    pub base_hash: Option<String>,
}

/// An app that is gone, with what it takes to put it back.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AppDeleted {
    /// The change.
    #[serde(flatten)]
    pub change: AppChange,
    /// What was taken out.
    pub removed: RemovedApp,
}

/// An entry as it was in the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemovedApp {
    /// The entry, byte for byte as it was written.
    pub written: String,
    /// The app that it stood in front of; `null` when it was the last.
    pub before: Option<String>,
    /// The hash of the registry without it.
    pub hash: String,
}

/// An app that is to come back.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppRestoreParams {
    /// The app.
    pub name: String,
    /// The entry, as it was written.
    pub written: String,
    /// The app that it stood in front of; without one, or when that is gone, it goes last.
    pub before: Option<String>,
    /// The hash of the registry that was seen.
    pub base_hash: Option<String>,
}

/// An app, and for whom.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppRunParams {
    /// The app, by its exact name.
    pub name: String,
    /// The agent that asks; the default one when not set.
    pub agent_id: Option<String>,
    /// The variables of the desktop that it is to appear on, instead of the gateway's own; for administrators.
    pub session: Option<BTreeMap<String, String>>,
}

/// An app that is to stop, and for whom.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppStopParams {
    /// The app, by its exact name.
    pub name: String,
    /// The agent that asks; the default one when not set.
    pub agent_id: Option<String>,
    /// Whether the person said yes to stopping what is `off`.
    pub confirmed: Option<bool>,
}
