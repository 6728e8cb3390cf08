//! The input of a step that the caller reads: the conversation itself reads nothing.

use std::collections::BTreeSet;

use super::language::Language;
use super::reply::{Badge, GroupCheck, PolicyRow, RegistryCheck};
use crate::registry::{App, LoadedRegistry, UnreadableRegistry};
use crate::{AppGroup, AppMode};

/// Most apps on one screen; further ones are counted, and chosen by name.
pub const LIST_LIMIT: usize = 200;

/// The facts that a step depends on.
#[derive(Debug)]
pub struct StepContext<'a> {
    /// The registry, or the error that makes it unreadable.
    pub registry: Result<&'a LoadedRegistry, &'a UnreadableRegistry>,
    /// Path of the registry as shown to people (`~/.openclaw/…`).
    pub path: &'a str,
    /// Names of the apps that are known to be running.
    pub running: &'a BTreeSet<String>,
    /// Id of the current agent.
    pub agent: &'a str,
    /// Whether a person is present, who may stop an app in mode `off`.
    pub person: bool,
    /// Whether a model answers other text.
    pub model: bool,
    /// The language, unless the text implies another.
    pub locale: Language,
    /// The path in this line, inspected, if [`Conversation::path_in`] returned one.
    ///
    /// [`Conversation::path_in`]: super::Conversation::path_in
    pub typed_path: Option<TypedPath>,
}

/// A typed path, inspected on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedPath {
    /// Whether the path exists.
    pub exists: bool,
    /// Its target, if it is a readable shortcut.
    pub shortcut_target: Option<String>,
}

impl<'a> StepContext<'a> {
    /// Hash of the registry; `None` if there is no readable file.
    pub(super) fn hash(&self) -> Option<&'a str> {
        self.registry.ok().and_then(|loaded| loaded.hash.as_deref())
    }

    /// Whether the file does not exist. An unreadable file exists.
    pub(super) fn is_missing(&self) -> bool {
        self.registry.is_ok_and(|loaded| !loaded.exists())
    }

    /// The registry, if there is a readable file.
    pub(super) fn loaded(&self) -> Option<&'a LoadedRegistry> {
        self.registry.ok().filter(|loaded| loaded.exists())
    }

    fn apps(&self) -> &'a [App] {
        self.loaded().map_or(&[], |loaded| &loaded.apps)
    }

    /// The app of exactly this name.
    pub(super) fn app(&self, name: &str) -> Option<&'a App> {
        self.loaded()?.app(name)
    }

    /// All names.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.apps().iter().map(|app| app.name.as_str())
    }

    /// The registered spelling of a name; letter case, width and white space aside.
    pub(super) fn same_name(&self, name: &str) -> Option<&'a str> {
        Some(self.loaded()?.app_ignoring_case(name)?.name.as_str())
    }

    /// The names that fit on a screen, and the number of further ones.
    pub(super) fn listed(&self) -> (Vec<String>, usize) {
        let shown: Vec<String> = self.names().take(LIST_LIMIT).map(str::to_owned).collect();
        (shown, self.apps().len().saturating_sub(LIST_LIMIT))
    }

    /// The state beside a name on the start screen.
    pub(super) fn badge(&self, name: &str) -> Option<Badge> {
        if self.running.contains(name) {
            return Some(Badge::Running);
        }
        let off = self.app(name)?.mode == Some(AppMode::Off);
        off.then_some(Badge::Off)
    }

    /// The apps with their policies.
    pub(super) fn rows(&self) -> (Vec<PolicyRow>, usize) {
        let rows = self.apps().iter().take(LIST_LIMIT).map(PolicyRow::for_app).collect();
        (rows, self.apps().len().saturating_sub(LIST_LIMIT))
    }

    /// All entries by group.
    pub(super) fn check(&self) -> RegistryCheck {
        let group = |group: AppGroup| {
            let mut members = self.apps().iter().filter(|app| app.group == group);
            let entries: Vec<_> =
                members.by_ref().take(LIST_LIMIT).map(|app| (app.name.clone(), app.faults.clone())).collect();
            GroupCheck { group, count: entries.len() + members.count(), entries }
        };
        RegistryCheck { groups: AppGroup::ALL.map(group) }
    }
}
