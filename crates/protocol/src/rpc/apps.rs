//! Methods of the Application Manager.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NoParams, methods};
use crate::apps::{AppChange, AppCheck, AppEntry, AppList, AppPatch, AppRunReport};

methods! {
    #[doc = "Lists every registered app and whether it is running."]
    List = "apps.list", NoParams => AppList<'static>, Read;
    #[doc = "Creates an empty registry."]
    Create = "apps.create", NoParams => AppChange, Admin;
    #[doc = "Checks every entry of the registry."]
    Validate = "apps.validate", NoParams => AppCheck, Read;
    #[doc = "Adds an app, or replaces the known fields of one; unknown fields are kept."]
    Save = "apps.save", AppSaveParams => AppChange, Admin;
    #[doc = "Changes the given fields of an app; everything else is kept as written."]
    Patch = "apps.patch", AppPatchParams => AppChange, Admin;
    #[doc = "Deletes an app from the registry."]
    Delete = "apps.delete", AppDeleteParams => AppDeleted, Admin;
    #[doc = "Restores a deleted app as it was written, unless its name is taken."]
    Restore = "apps.restore", AppRestoreParams => AppChange, Admin;
    #[doc = "Launches an app for an agent, if the launch policy allows it."]
    Launch = "apps.launch", AppRunParams => AppRunReport, Write;
    #[doc = "Stops an app for an agent, if the launch policy allows it."]
    Stop = "apps.stop", AppStopParams => AppRunReport, Write;
}

/// Parameters of `apps.save`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppSaveParams {
    /// Name of the app.
    pub name: String,
    /// The complete entry.
    pub entry: AppEntry,
    /// Hash of the registry that the change is based on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<String>,
}

/// Parameters of `apps.patch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppPatchParams {
    /// Name of the app.
    pub name: String,
    /// The changes.
    pub patch: AppPatch,
    /// Hash of the registry that the change is based on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<String>,
}

/// Parameters of `apps.delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppDeleteParams {
    /// Name of the app.
    pub name: String,
    /// Hash of the registry that the change is based on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<String>,
}

/// Result of `apps.delete`, with the data to restore the app.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppDeleted {
    /// The change.
    #[serde(flatten)]
    pub change: AppChange,
    /// The deleted entry.
    pub removed: RemovedApp,
}

/// A deleted entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemovedApp {
    /// The JSON of the entry, byte for byte.
    pub written: String,
    /// Name of the app after it; `null` if it was the last.
    pub before: Option<String>,
    /// Hash of the registry after the deletion.
    pub hash: String,
}

/// Parameters of `apps.restore`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppRestoreParams {
    /// Name of the app.
    pub name: String,
    /// The JSON of the entry.
    pub written: String,
    /// Name of the app to insert it before; without one, or if that is gone, it goes last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Hash of the registry that the change is based on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<String>,
}

/// Parameters of `apps.launch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppRunParams {
    /// Exact name of the app.
    pub name: String,
    /// Id of the requesting agent; by default the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Environment of the desktop session to launch it in, instead of the gateway's own; administrators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<BTreeMap<String, String>>,
}

/// Parameters of `apps.stop`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AppStopParams {
    /// Exact name of the app.
    pub name: String,
    /// Id of the requesting agent; by default the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Whether the person confirmed stopping an app in mode `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<bool>,
}
