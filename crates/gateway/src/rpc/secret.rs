//! The lines of the audit chain about secrets: which one was set or taken away, never what it is.
//!
//! Promises: a secret is set only once that is written down; taking one away always works. What was written down and
//! then did not happen is written down too.

use tarsus_audit::{Entry, Severity};
use tarsus_home::config::SecretChange;
use tarsus_home::config::json5::Step;
use tarsus_protocol::Problem;

use crate::gateway::Gateway;

/// Secrets of one request that have a line of their own; how many more there are is the last line.
const MOST_LINES: usize = 64;

/// A secret by the place where it is kept.
pub(super) struct SecretPlace {
    /// Its id in the secret store, or its path in a file.
    pub id: String,
    /// The skill that it belongs to.
    pub skill: Option<String>,
}

/// The secrets that one request changes.
#[derive(Default)]
pub(super) struct Changing {
    set: Vec<SecretPlace>,
    /// How many of these were written down.
    permitted: usize,
    /// What is taken away.
    pub removed: Vec<SecretPlace>,
}

impl Changing {
    /// These are set.
    pub(super) fn setting(set: Vec<SecretPlace>) -> Self {
        Self { set, ..Self::default() }
    }

    /// These are taken away.
    pub(super) fn removing(removed: Vec<SecretPlace>) -> Self {
        Self { removed, ..Self::default() }
    }

    /// Those that differ in two versions of the configuration.
    pub(super) fn in_config(changes: Vec<SecretChange>) -> Self {
        let (set, removed): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| change.is_set);
        let places = |changes: Vec<SecretChange>| changes.into_iter().map(place).collect();
        Self { removed: places(removed), ..Self::setting(places(set)) }
    }

    /// Writes down what is about to be set, which may then be set.
    pub(super) fn permit(&mut self, gateway: &Gateway) -> Result<(), Problem> {
        for line in lines(&self.set, "set") {
            gateway.given.audit.record(line, gateway.now())?;
            self.permitted += 1;
        }
        Ok(())
    }

    /// Writes down what was taken away.
    pub(super) fn done(&self, gateway: &Gateway) {
        for line in lines(&self.removed, "removed") {
            gateway.given.audit.record_best_effort(line, gateway.now());
        }
    }

    /// Writes down that what was permitted did not happen after all.
    pub(super) fn undone(&self, gateway: &Gateway, why: &str) {
        for mut line in lines(&self.set, "not-set").take(self.permitted) {
            line.reason = Some(why.to_owned());
            gateway.given.audit.record_best_effort(line, gateway.now());
        }
    }
}

fn place(change: SecretChange) -> SecretPlace {
    let skill = match change.path.steps() {
        [Step::Key(section), Step::Key(entries), Step::Key(skill), ..]
            if section == "skills" && entries == "entries" =>
        {
            Some(skill.clone())
        }
        _ => None,
    };
    SecretPlace { id: change.path.to_string(), skill }
}

fn lines(places: &[SecretPlace], decision: &'static str) -> impl Iterator<Item = Entry> {
    let line = move |key: &str, value: serde_json::Value| {
        let mut line = Entry::security("secret.changed", Severity::Info);
        line.decision = Some(decision.to_owned());
        line.detail.insert(key.to_owned(), value);
        line
    };
    let more = places.len().saturating_sub(MOST_LINES);
    let each = places.iter().take(MOST_LINES);
    let each =
        each.map(move |place| Entry { skill: place.skill.clone(), ..line("id", place.id.as_str().into()) });
    each.chain((more > 0).then(|| line("more", more.into())))
}
