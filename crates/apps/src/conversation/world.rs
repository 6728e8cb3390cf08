//! What the caller read fresh for one step. The conversation itself reads nothing.

use std::collections::BTreeSet;

use tarsus_protocol::Problem;

use super::language::Language;
use super::reply::{Badge, Check, CheckedGroup, Row};
use crate::Mode;
use crate::fold::fold;
use crate::registry::{App, Loaded};
use crate::validate::Group;

/// Apps that one screen lists; the rest is counted, and chosen by name.
pub const LIST_LIMIT: usize = 200;

/// What is known at the moment of a step.
#[derive(Debug)]
pub struct World<'a> {
    /// The registry, or what is wrong with it.
    pub registry: Result<&'a Loaded, &'a Problem>,
    /// Where the registry is, as people write it (`~/.openclaw/…`).
    pub path: &'a str,
    /// The names of apps that are known to run. Only what was cheap to find out.
    pub running: &'a BTreeSet<String>,
    /// The current agent.
    pub agent: &'a str,
    /// Whether a person is there, at the terminal or the page, who may stop what is `off`.
    pub person: bool,
    /// Whether a model answers what is not for the Application Manager.
    pub model: bool,
    /// The language when nothing else tells it.
    pub locale: Language,
    /// What was found at the path in the line of this step, when [`Conversation::path_in`] named one.
    ///
    /// [`Conversation::path_in`]: super::Conversation::path_in
    pub typed_path: Option<TypedPath>,
}

/// What is at a path that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedPath {
    /// Whether something is there.
    pub exists: bool,
    /// Where it points, when it is a shortcut that could be read.
    pub shortcut_target: Option<String>,
}

impl<'a> World<'a> {
    /// The hash of the registry; none when there is no file, or none that can be read.
    pub(super) fn hash(&self) -> Option<&'a str> {
        self.registry.ok().and_then(|loaded| loaded.hash.as_deref())
    }

    /// Whether there is no file yet. One that cannot be read is there.
    pub(super) fn is_missing(&self) -> bool {
        self.registry.is_ok_and(|loaded| !loaded.exists())
    }

    /// The registry, when there is a file that can be read.
    pub(super) fn loaded(&self) -> Option<&'a Loaded> {
        self.registry.ok().filter(|loaded| loaded.exists())
    }

    fn apps(&self) -> &'a [App] {
        self.loaded().map_or(&[], |loaded| &loaded.apps)
    }

    /// The app of exactly this name.
    pub(super) fn app(&self, name: &str) -> Option<&'a App> {
        self.loaded()?.app(name)
    }

    /// Every name.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.apps().iter().map(|app| app.name.as_str())
    }

    /// The name that is the same for people: letter case, width and white space aside.
    pub(super) fn same_name(&self, name: &str) -> Option<&'a str> {
        let exactly = self.names().find(|known| *known == name);
        exactly.or_else(|| {
            let folded = fold(name);
            self.names().find(|known| fold(known) == folded)
        })
    }

    /// The names that a screen lists, and how many more there are.
    pub(super) fn listed(&self) -> (Vec<String>, usize) {
        let shown: Vec<String> = self.names().take(LIST_LIMIT).map(str::to_owned).collect();
        (shown, self.apps().len().saturating_sub(LIST_LIMIT))
    }

    /// The short state beside a name on the start screen.
    pub(super) fn badge(&self, name: &str) -> Option<Badge> {
        if self.running.contains(name) {
            return Some(Badge::Running);
        }
        let off = self.app(name)?.fields.mode == Some(Mode::Off);
        off.then_some(Badge::Off)
    }

    /// The apps with their policies.
    pub(super) fn rows(&self) -> (Vec<Row>, usize) {
        let row = |app: &App| Row {
            name: app.name.clone(),
            policy: app.entry().map(|entry| entry.policy),
            reasons: app.verdict.reasons.clone(),
        };
        let rows = self.apps().iter().take(LIST_LIMIT).map(row).collect();
        (rows, self.apps().len().saturating_sub(LIST_LIMIT))
    }

    /// Every entry in its group.
    pub(super) fn check(&self) -> Check {
        let group = |group: Group| {
            let mut members = self.apps().iter().filter(|app| app.verdict.group == group);
            let entries: Vec<_> = members
                .by_ref()
                .take(LIST_LIMIT)
                .map(|app| (app.name.clone(), app.verdict.reasons.clone()))
                .collect();
            CheckedGroup { group, count: entries.len() + members.count(), entries }
        };
        Check { groups: Group::ALL.map(group) }
    }
}
