//! A change that somebody else than the person wishes for, an agent for one.
//!
//! Promises: it is shown as the menu shows its own and saves nothing; only a yes of the person that follows at once does.
//! What cannot be proposed is an error that says what to wish for instead, and asks the person nothing.

use tarsus_protocol::{ErrorCode, Problem};

use super::proposal::{Draft, draft};
use super::reply::{Reply, Said, Screen};
use super::state::{Action, Answers, Conversation, Field, Step, Wanted, Wish};
use super::turn::is_over;
use super::world::World;
use crate::Mode;
use crate::registry::RegistryError;

/// A change that is wished for. What is `None` keeps its value; an empty text takes an optional value away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wished {
    /// Which kind of change.
    pub action: Action,
    /// The app.
    pub name: String,
    /// What is launched.
    pub launch_path: Option<String>,
    /// The program that really runs.
    pub runtime_exe: Option<String>,
    /// The name of the process.
    pub process_name: Option<String>,
    /// Who may launch it, in one word.
    pub mode: Option<Mode>,
    /// The agents of an allowlist.
    pub agents: Option<Vec<String>>,
}

/// Puts a wish in front of the person: the conversation that waits for the yes, and what to show. `missing` are paths of
/// the wish that are not on this machine.
///
/// # Errors
/// When the person is being asked something else, or the registry does not take the change. Nothing is asked then.
pub fn propose(
    before: &Conversation,
    wished: Wished,
    missing: Vec<String>,
    at_ms: i64,
    world: &World<'_>,
) -> Result<(Conversation, Reply), Problem> {
    let is_asking = !matches!(before.step, Step::Closed | Step::Start { .. });
    if is_asking && !is_over(before, at_ms) {
        return Err(Problem::new(ErrorCode::Busy, "the person is being asked something else already")
            .note("nothing was proposed")
            .hint("wait for that answer first"));
    }
    let loaded = world.registry.map_err(Clone::clone)?;
    if !loaded.exists() {
        return Err(RegistryError::Missing { path: loaded.path.clone() }.into());
    }
    let wanted = wanted(wished, world);
    match draft(&wanted, world) {
        Draft::Ready(_, proposal) => {
            let language = before.language.unwrap_or(world.locale);
            let screen =
                Screen::Proposal { action: wanted.action, before: proposal.before, after: proposal.after };
            let base = world.hash().unwrap_or_default().to_owned();
            let step = Step::Confirm { wanted, base, menu: false };
            let said = missing.into_iter().map(|path| Said::PathMissing { path }).collect();
            let conversation = Conversation { language: Some(language), last_ms: at_ms, step };
            Ok((conversation, Reply { language, said, screen: Some(screen) }))
        }
        Draft::NoRegistry | Draft::Gone => Err(RegistryError::NotRegistered { name: wanted.name }.into()),
        Draft::Taken(taken_by) => {
            Err(Problem::new(ErrorCode::Usage, format!("{taken_by:?} is registered already"))
                .note("nothing was proposed")
                .hint("propose to edit it instead"))
        }
        Draft::Lacks(field) => Err(Problem::new(
            ErrorCode::Usage,
            format!("the entry of {:?} lacks {}", wanted.name, key(field)),
        )
        .note("nothing was proposed")
        .hint("ask the person for it; do not guess")),
        Draft::Same => Err(Problem::new(ErrorCode::Usage, format!("{:?} is so already", wanted.name))
            .note("nothing was proposed")
            .hint("there is nothing to do")),
        Draft::Impossible(problem) => Err(problem),
    }
}

fn wanted(wished: Wished, world: &World<'_>) -> Wanted {
    let Wished { action, name, launch_path, runtime_exe, process_name, mode, agents } = wished;
    let optional = |text: Option<String>| {
        text.map(|text| if text.trim().is_empty() { Wish::Clear } else { Wish::Set(text) })
    };
    let name = match (action, world.same_name(&name)) {
        (Action::Edit | Action::Policy | Action::Delete, Some(known)) => known.to_owned(),
        (_, None) | (Action::Add, Some(_)) => name,
    };
    let answers = Answers {
        launch_path,
        runtime_exe: optional(runtime_exe),
        process_name: optional(process_name),
        mode,
        agents,
    };
    Wanted { action, name, answers }
}

/// The field as the registry calls it.
const fn key(field: Field) -> &'static str {
    use crate::validate::key;
    match field {
        Field::Name => "a name",
        Field::LaunchPath => key::LAUNCH_PATH,
        Field::RuntimeExe => key::RUNTIME_EXE,
        Field::ProcessName => key::PROCESS_NAME,
        Field::Mode => key::MODE,
        Field::Agents => key::ALLOWED_AGENTS,
    }
}
