//! The stored state of a conversation: the current step and the answers so far.
//!
//! It is serialised, so that it survives a restart. It holds names instead of numbers, so that a choice means what was
//! shown, and no copy of the registry.

use serde::{Deserialize, Serialize};
use tarsus_protocol::apps::{AppMode, AppPatch};

use super::answers;
use super::language::Language;
use super::request::AppVerb;

/// A conversation, stored per session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// The language of the text that opened it.
    pub(super) language: Option<Language>,
    /// Time of the person's last message, in milliseconds since 1970.
    pub(super) last_ms: i64,
    pub(super) step: Step,
}

impl Conversation {
    /// Whether it waits for an answer or a result. A closed conversation only reacts to its triggers.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.step != Step::Closed
    }

    /// The path in a line and the field it is for, so that the caller can inspect it for
    /// [`StepContext::typed_path`](super::StepContext::typed_path). `None` if the question is not about a path.
    #[must_use]
    pub fn path_in<'l>(&self, line: &'l str) -> Option<(EntryField, &'l str)> {
        let Step::Asking(form) = &self.step else { return None };
        let field =
            form.field().filter(|field| matches!(field, EntryField::LaunchPath | EntryField::RuntimeExe))?;
        Some((field, answers::parse_answer(line)?))
    }
}

/// The question that the next input answers. Variants and fields are stored under their serde names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(super) enum Step {
    /// No conversation.
    #[default]
    Closed,
    /// The start screen, with these names in this order.
    Start { shown: Vec<String> },
    /// A list to choose an app from.
    Pick { action: EntryAction, shown: Vec<String> },
    /// The choices of Edit.
    Edit { name: String },
    /// The choices of Policy.
    Policy { name: String },
    /// The questions of a form.
    Asking(Form),
    /// The new name is taken: edit that entry?
    EditInstead { name: String },
    /// Agents can be listed only in mode allowlist: switch?
    Switch { name: String, action: EntryAction },
    /// The registry file does not exist: create it?
    CreateFirst,
    /// A proposal is shown, based on the file with this hash; from the menu or from an agent.
    Confirm {
        #[serde(rename = "wanted")]
        proposed: ProposedChange,
        base: String,
        #[serde(default = "default_menu")]
        menu: bool,
    },
    /// Several apps match.
    Which {
        #[serde(rename = "deed")]
        verb: AppVerb,
        shown: Vec<String>,
        menu: bool,
    },
    /// A similar name may be meant.
    Suggested {
        #[serde(rename = "deed")]
        verb: AppVerb,
        name: String,
        menu: bool,
    },
    /// Stop an app in mode off?
    StopOff { name: String, menu: bool },
    /// An effect is being carried out.
    Waiting { pending: PendingEffect, menu: bool },
}

impl Step {
    /// The start screen; its names are filled in when it is presented.
    pub(super) fn start() -> Self {
        Self::Start { shown: Vec::new() }
    }

    /// A list to choose from; its names are filled in when it is presented.
    pub(super) fn pick(action: EntryAction) -> Self {
        Self::Pick { action, shown: Vec::new() }
    }

    /// The end of a request: back to the menu, or closed.
    pub(super) fn home(menu: bool) -> Self {
        if menu { Self::start() } else { Self::Closed }
    }
}

/// States of older versions have proposals from the menu only.
fn default_menu() -> bool {
    true
}

/// A change of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryAction {
    /// Add an entry.
    Add,
    /// Change values of an entry.
    Edit,
    /// Change the launch policy of an entry.
    Policy,
    /// Delete an entry.
    Delete,
}

/// A change that waits for confirmation. It is applied to the entry as it is then, so that changes by others are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedChange {
    /// Kind of change.
    pub action: EntryAction,
    /// Name of the app.
    pub name: String,
    /// The new values. Absent fields keep their value; agents without a mode keep the mode.
    #[serde(rename = "answers", with = "stored_patch")]
    pub patch: AppPatch,
}

/// The effect that is being carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub(super) enum PendingEffect {
    Create {
        then_add: bool,
    },
    Change {
        #[serde(rename = "wanted")]
        proposed: ProposedChange,
    },
    Launch {
        name: String,
    },
    Stop {
        name: String,
    },
}

/// A series of questions about one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Form {
    pub(super) action: EntryAction,
    /// `None` until the name of a new app is known.
    pub(super) name: Option<String>,
    pub(super) fields: Vec<EntryField>,
    /// Index of the current question in `fields`.
    pub(super) at: usize,
    /// The answers so far.
    #[serde(rename = "answers", with = "stored_patch")]
    pub(super) patch: AppPatch,
    /// Target of the shortcut that was given as launch path.
    pub(super) target: Option<String>,
}

impl Form {
    pub(super) fn field(&self) -> Option<EntryField> {
        self.fields.get(self.at).copied()
    }
}

/// A field that a form asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryField {
    /// The friendly name.
    Name,
    /// `launch_path`.
    LaunchPath,
    /// `runtime_exe`.
    RuntimeExe,
    /// `process_name`.
    ProcessName,
    /// `mode`.
    Mode,
    /// `allowed_agents`.
    Agents,
}

/// The stored form of a patch, which differs from its wire form.
mod stored_patch {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use tarsus_protocol::rpc::FieldChange;

    use super::{AppMode, AppPatch};

    #[derive(Serialize, Deserialize)]
    #[serde(remote = "FieldChange<String>", rename_all = "lowercase")]
    enum StoredChange {
        Clear,
        Set(String),
    }

    #[derive(Serialize, Deserialize)]
    struct StoredValue(#[serde(with = "StoredChange")] FieldChange<String>);

    #[derive(Default, Serialize, Deserialize)]
    #[serde(default)]
    struct StoredPatch {
        launch_path: Option<String>,
        runtime_exe: Option<StoredValue>,
        process_name: Option<StoredValue>,
        mode: Option<AppMode>,
        agents: Option<Vec<String>>,
    }

    pub(super) fn serialize<S: Serializer>(patch: &AppPatch, serializer: S) -> Result<S::Ok, S::Error> {
        let AppPatch { launch_path, runtime_exe, process_name, mode, allowed_agents } = patch.clone();
        let stored = StoredPatch {
            launch_path,
            runtime_exe: runtime_exe.map(StoredValue),
            process_name: process_name.map(StoredValue),
            mode,
            agents: allowed_agents,
        };
        stored.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AppPatch, D::Error> {
        let StoredPatch { launch_path, runtime_exe, process_name, mode, agents } =
            StoredPatch::deserialize(deserializer)?;
        Ok(AppPatch {
            launch_path,
            runtime_exe: runtime_exe.map(|value| value.0),
            process_name: process_name.map(|value| value.0),
            mode,
            allowed_agents: agents,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tarsus_protocol::rpc::FieldChange;

    use super::*;

    #[test]
    fn stored_proposal_keeps_its_format() {
        let stored = json!({
            "language": null, "last_ms": 0,
            "step": {
                "step": "confirm", "base": "h", "menu": false,
                "wanted": {
                    "action": "edit", "name": "A",
                    "answers": {
                        "launch_path": "/a", "runtime_exe": "clear", "process_name": { "set": "a" },
                        "mode": "allowlist", "agents": ["main"],
                    },
                },
            },
        });
        let patch = AppPatch {
            launch_path: Some("/a".to_owned()),
            runtime_exe: Some(FieldChange::Clear),
            process_name: Some(FieldChange::Set("a".to_owned())),
            mode: Some(AppMode::Allowlist),
            allowed_agents: Some(vec!["main".to_owned()]),
        };
        let proposed = ProposedChange { action: EntryAction::Edit, name: "A".to_owned(), patch };
        let step = Step::Confirm { proposed, base: "h".to_owned(), menu: false };
        let conversation = Conversation { step, ..Conversation::default() };
        assert_eq!(serde_json::to_value(&conversation).ok(), Some(stored.clone()));
        assert_eq!(serde_json::from_value::<Conversation>(stored).ok(), Some(conversation));
    }
}
