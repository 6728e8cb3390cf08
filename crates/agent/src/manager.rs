//! The Application Manager in a chat: its conversation continues where the last message of the session left it.

use serde_json::{Value, json};
use tarsus_apps::Registry;
use tarsus_apps::conversation::{Conversation, ConversationEvent, EntryAction, Notice};
use tarsus_apps::manager::{AppManager, ConversationOptions, ConversationUpdate, PendingUpdate, Requester};
use tarsus_protocol::event::{AppsAction, AppsChanged};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{Durability, SessionKey, StoreError};
use tokio::runtime::Handle;

use crate::model::chosen_models;
use crate::route::DirectReply;
use crate::runtime::Runtime;
use crate::turn::AcceptedMessage;

/// The decision about a message for the Application Manager, before its effects are carried out.
pub struct ManagerDecision {
    manager: AppManager,
    options: ConversationOptions,
    was_open: bool,
    pending: PendingUpdate,
}

impl ManagerDecision {
    /// Decides about a message, without side effects.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn decide(runtime: &Runtime, accepted: &AcceptedMessage) -> Result<Self, StoreError> {
        Self::decide_event(runtime, accepted, ConversationEvent::Line(&accepted.text))
    }

    fn decide_event(
        runtime: &Runtime,
        accepted: &AcceptedMessage,
        event: ConversationEvent<'_>,
    ) -> Result<Self, StoreError> {
        let (services, session) = (&runtime.services, &accepted.session);
        let requester = Requester { agent: session.agent().to_string(), session: Some(session.to_string()) };
        let audit = Ok(services.audit.clone());
        let environment = services.environment.clone();
        let manager = AppManager::new(&services.home, audit, services.clock.clone(), requester, environment);
        let manager = if accepted.may_change_apps { manager } else { manager.read_only(no_changes()) };
        let manager = if accepted.is_by_agent { manager.by_agent() } else { manager };
        let options = ConversationOptions {
            registry_path: services.home.display(Registry::for_home(&services.home).path()),
            person: !accepted.is_by_agent,
            // A message that the Application Manager does not understand goes to the model.
            model: has_model(runtime, session)?,
            locale: services.language,
        };
        let stored = services.store.conversation(session)?;
        let before = stored.map(|stored| parse_conversation(stored.state)).unwrap_or_default();
        let was_open = before.is_open();
        let pending = manager.decide(before, event, &options);
        Ok(Self { manager, options, was_open, pending })
    }

    /// Whether a conversation was open before the message.
    pub fn was_open(&self) -> bool {
        self.was_open
    }

    /// Whether the message is not for the Application Manager.
    pub fn passes_on(&self) -> bool {
        self.pending.passes_on()
    }

    /// Carries the decision out. `None` when the run was aborted first. Must be called inside a tokio runtime, where it
    /// may block.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn carry_out(
        self,
        runtime: &Runtime,
        accepted: &AcceptedMessage,
    ) -> Result<Option<DirectReply>, StoreError> {
        let Self { manager, options, was_open, pending } = self;
        let may_act = || runtime.runs.act(&accepted.run);
        let update = Handle::current().block_on(manager.carry_out(pending, &options, &may_act));
        // The conversation is stored only together with the reply.
        if update.cancelled || !may_act() {
            return Ok(None);
        }
        save_conversation(runtime, accepted.session.clone(), was_open, &update.conversation)?;
        let apps = app_changes(&update, &manager);
        let text = update.text().trim_end().to_owned();
        Ok(Some(DirectReply { text, menu: update.menu(), apps, ..DirectReply::default() }))
    }

    /// Stores the conversation of a message that was passed on.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn save_conversation(&self, runtime: &Runtime, session: SessionKey) -> Result<(), StoreError> {
        save_conversation(runtime, session, self.was_open, self.pending.conversation())
    }
}

/// Opens the menu, whatever the conversation was about before.
///
/// # Errors
/// If the store cannot be read or written.
pub fn open_menu(runtime: &Runtime, accepted: &AcceptedMessage) -> Result<DirectReply, StoreError> {
    let decision = ManagerDecision::decide_event(runtime, accepted, ConversationEvent::Open)?;
    // A command is running, so the run cannot be aborted.
    Ok(decision.carry_out(runtime, accepted)?.unwrap_or_default())
}

fn save_conversation(
    runtime: &Runtime,
    session: SessionKey,
    was_open: bool,
    conversation: &Conversation,
) -> Result<(), StoreError> {
    let is_open = conversation.is_open();
    if !was_open && !is_open {
        return Ok(());
    }
    let state = is_open.then(|| json!(conversation));
    let (store, at_ms) = (&runtime.services.store, runtime.services.clock.wall_ms());
    store.set_conversation(session, state.as_ref(), at_ms, Durability::KillSafe).wait()
}

fn has_model(runtime: &Runtime, session: &SessionKey) -> Result<bool, StoreError> {
    let own = runtime.services.store.session(session)?.and_then(|session| session.settings.model);
    let config = runtime.services.host.config();
    Ok(!chosen_models(&config, session.agent(), own.as_ref().map(|model| model.as_str())).is_empty())
}

fn no_changes() -> Problem {
    Problem::new(ErrorCode::Denied, "changing the registry of apps needs the scope operator.admin")
        .hint("nothing was changed; `tarsus apps` changes it on the command line")
}

/// Parses a stored conversation. One that another version wrote may be unreadable: it starts anew then.
pub(crate) fn parse_conversation(state: Value) -> Conversation {
    serde_json::from_value(state).unwrap_or_else(|error| {
        tracing::warn!(%error, "a conversation of the Application Manager cannot be read and starts anew");
        Conversation::default()
    })
}

/// The app changes that clients are notified of.
fn app_changes(update: &ConversationUpdate, manager: &AppManager) -> Vec<AppsChanged> {
    let notices = update.replies.iter().flat_map(|reply| &reply.notices);
    let done: Vec<_> = notices
        .filter_map(|notice| match notice {
            Notice::Created => Some((AppsAction::Create, None)),
            Notice::Saved { action: EntryAction::Delete, name } => Some((AppsAction::Delete, Some(name))),
            Notice::Saved { name, .. } => Some((AppsAction::Save, Some(name))),
            Notice::Launched { name, .. } => Some((AppsAction::Launch, Some(name))),
            Notice::Stopped { name, .. } => Some((AppsAction::Stop, Some(name))),
            _ => None,
        })
        .collect();
    if done.is_empty() {
        return Vec::new();
    }
    // Another process may have broken the file since: the change is reported without its hash.
    let hash = manager.load().ok().and_then(|loaded| loaded.hash);
    let change = |(action, name): (AppsAction, Option<&String>)| AppsChanged {
        action,
        name: name.cloned(),
        hash: hash.clone(),
    };
    done.into_iter().map(change).collect()
}
