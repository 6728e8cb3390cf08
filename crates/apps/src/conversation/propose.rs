//! Shows the person a change that an agent proposes. It saves nothing: only a confirmation that follows at once does.

use tarsus_protocol::{ErrorCode, Problem};

use super::context::StepContext;
use super::proposal::{Draft, draft};
use super::reply::{ConversationReply, Notice, Screen};
use super::state::{Conversation, EntryAction, EntryField, ProposedChange, Step};
use super::step::is_expired;
use crate::registry::RegistryError;

/// The conversation that waits for the confirmation, and the reply to show. `missing` lists proposed paths that do not
/// exist on this machine.
///
/// # Errors
/// If another question is open, or the registry rejects the change. Then no question is put.
pub fn propose(
    before: &Conversation,
    proposed: ProposedChange,
    missing: Vec<String>,
    at_ms: i64,
    context: &StepContext<'_>,
) -> Result<(Conversation, ConversationReply), Problem> {
    let is_asking = !matches!(before.step, Step::Closed | Step::Start { .. });
    if is_asking && !is_expired(before, at_ms) {
        return Err(Problem::new(ErrorCode::Busy, "another question to the person is still open")
            .note("nothing was proposed")
            .hint("wait for that answer first"));
    }
    let loaded = context.registry.map_err(|unreadable| unreadable.problem.clone())?;
    if !loaded.exists() {
        return Err(RegistryError::Missing { path: loaded.path.clone() }.into());
    }
    let proposed = with_registered_name(proposed, context);
    match draft(&proposed, context) {
        Draft::Ready(_, proposal) => {
            let language = before.language.unwrap_or(context.locale);
            let screen =
                Screen::Proposal { action: proposed.action, before: proposal.before, after: proposal.after };
            let base = context.hash().unwrap_or_default().to_owned();
            let step = Step::Confirm { proposed, base, menu: false };
            let notices = missing.into_iter().map(|path| Notice::PathMissing { path }).collect();
            let conversation = Conversation { language: Some(language), last_ms: at_ms, step };
            Ok((conversation, ConversationReply { language, notices, screen: Some(screen) }))
        }
        Draft::NoRegistry | Draft::Gone => Err(RegistryError::NotRegistered { name: proposed.name }.into()),
        Draft::Taken(taken_by) => {
            Err(Problem::new(ErrorCode::Usage, format!("{taken_by:?} is already registered"))
                .note("nothing was proposed")
                .hint("propose to edit it instead"))
        }
        Draft::Lacks(field) => Err(Problem::new(
            ErrorCode::Usage,
            format!("the entry of {:?} lacks {}", proposed.name, field_name(field)),
        )
        .note("nothing was proposed")
        .hint("ask the person for it; do not guess")),
        Draft::Unchanged => {
            Err(Problem::new(ErrorCode::Usage, format!("{:?} already has these values", proposed.name))
                .note("nothing was proposed")
                .hint("there is nothing to do"))
        }
        Draft::Rejected(problem) => Err(problem),
    }
}

/// The change with the registered spelling of the name.
fn with_registered_name(proposed: ProposedChange, context: &StepContext<'_>) -> ProposedChange {
    let name = match (proposed.action, context.same_name(&proposed.name)) {
        (EntryAction::Edit | EntryAction::Policy | EntryAction::Delete, Some(known)) => known.to_owned(),
        (_, None) | (EntryAction::Add, Some(_)) => proposed.name,
    };
    ProposedChange { name, ..proposed }
}

/// The key of the field in the registry.
const fn field_name(field: EntryField) -> &'static str {
    use crate::validate::key;
    match field {
        EntryField::Name => "a name",
        EntryField::LaunchPath => key::LAUNCH_PATH,
        EntryField::RuntimeExe => key::RUNTIME_EXE,
        EntryField::ProcessName => key::PROCESS_NAME,
        EntryField::Mode => key::MODE,
        EntryField::Agents => key::ALLOWED_AGENTS,
    }
}
