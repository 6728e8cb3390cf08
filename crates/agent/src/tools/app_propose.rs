//! `app_propose`: shows the person a change of the registry to confirm. The tool saves nothing: only the person's next
//! message can confirm the proposal, exactly as it was shown.

use std::sync::Arc;

use serde_json::json;
use tarsus_apps::conversation::{EntryAction, ProposedChange};
use tarsus_apps::manager::ConversationOptions;
use tarsus_apps::{AppMode, AppPatch, Registry};
use tarsus_guard as guard;
use tarsus_protocol::rpc::FieldChange;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::Durability;

use super::check::{Arguments, Field, Kind};
use super::outcome::ToolOutcome;
use super::{MAX_NAME_CHARS, MAX_PATH_CHARS, PermittedCall, Tool, ToolFuture, apps, blocking};
use crate::manager::parse_conversation;
use crate::turn_context::TurnContext;

/// The actions, in display order.
const ACTIONS: &[&str] = &["add", "edit", "delete", "policy"];
const MODES: &[&str] = &["full", "allowlist", "off"];

const FIELDS: &[Field] = &[
    Field::required("action", Kind::OneOf(ACTIONS), "What to propose"),
    apps::NAME,
    Field::optional(
        "launch_path",
        Kind::Text(MAX_PATH_CHARS),
        "What is launched: a program, shortcut or address",
    ),
    Field::optional(
        "runtime_exe",
        Kind::Text(MAX_PATH_CHARS),
        "The program that then runs; empty takes it away",
    ),
    Field::optional(
        "process_name",
        Kind::Text(MAX_NAME_CHARS),
        "The name of its process; empty takes it away",
    ),
    Field::optional("mode", Kind::OneOf(MODES), "Who may launch it: any agent, those listed, nobody"),
    Field::optional("allowed_agents", Kind::Texts(MAX_NAME_CHARS), "The ids of the agents of mode allowlist"),
];

pub(super) struct AppPropose;

impl Tool for AppPropose {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::AppPropose
    }

    fn line(&self) -> &'static str {
        "Propose a change of the registered apps to the person"
    }

    fn description(&self) -> &'static str {
        "Proposes to add, edit or delete a registered app or to change who may launch it. The person is shown the entry \
         and answers yes or no; you cannot save it yourself. Use only paths that the person gave."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        false
    }

    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        blocking(move || propose(&call.arguments, &context))
    }
}

fn propose(arguments: &Arguments, context: &TurnContext) -> Result<ToolOutcome, Problem> {
    if !context.has_person() {
        return Err(Problem::new(ErrorCode::NotConfirmed, "no person is present to confirm it")
            .note("nothing was proposed")
            .hint("say what you would propose; the person can do it in the Application Manager"));
    }
    let proposed = parse_change(arguments)?;
    let manager = apps::manager(context);
    apps::load_registry(&manager)?;
    let options = ConversationOptions {
        registry_path: context.services.home.display(Registry::for_home(&context.services.home).path()),
        person: true,
        model: true,
        locale: context.services.language,
    };
    let stored = context.services.store.conversation(&context.session)?;
    let before = stored.map(|stored| parse_conversation(stored.state)).unwrap_or_default();
    let (conversation, reply) = manager.propose(&before, proposed, &options)?;
    let (state, at_ms) = (json!(conversation), context.services.clock.wall_ms());
    context
        .services
        .store
        .set_conversation(context.session.clone(), Some(&state), at_ms, Durability::KillSafe)
        .wait()?;
    let page = reply.page();
    let text = format!(
        "The person is shown this after your answer, and has to say yes or no. Nothing is saved yet and you cannot agree \
         for them: end your turn now.\n\n{}",
        page.to_string().trim_end()
    );
    Ok(ToolOutcome { page: Some(page), ..ToolOutcome::text(text) })
}

fn parse_change(arguments: &Arguments) -> Result<ProposedChange, Problem> {
    let text = |name: &str| arguments.text(name).map(str::to_owned);
    let action = match arguments.text("action") {
        Some("add") => EntryAction::Add,
        Some("edit") => EntryAction::Edit,
        Some("delete") => EntryAction::Delete,
        _ => EntryAction::Policy,
    };
    let of_policy: &[&str] = &["mode", "allowed_agents"];
    let of_entry: &[&str] = &["launch_path", "runtime_exe", "process_name"];
    let unused: Vec<&str> = match action {
        EntryAction::Add | EntryAction::Edit => Vec::new(),
        EntryAction::Policy => of_entry.to_vec(),
        EntryAction::Delete => [of_entry, of_policy].concat(),
    };
    let is_given = |name: &&&str| arguments.text(name).is_some() || arguments.texts(name).is_some();
    if let Some(name) = unused.iter().find(is_given) {
        let action = arguments.text("action").unwrap_or_default();
        return Err(Problem::new(
            ErrorCode::Usage,
            format!("{name:?} has no meaning with the action {action}"),
        )
        .note("nothing was proposed")
        .hint("leave it out, or use the action edit"));
    }
    let mode: Option<AppMode> = arguments.text("mode").and_then(|mode| mode.parse().ok());
    let agents = arguments.texts("allowed_agents").filter(|agents| !agents.is_empty());
    if agents.is_some() && mode.is_some_and(|mode| mode != AppMode::Allowlist) {
        return Err(Problem::new(
            ErrorCode::Usage,
            "\"allowed_agents\" has a meaning only with the mode allowlist",
        )
        .note("nothing was proposed")
        .hint("leave it out, or use the mode allowlist"));
    }
    // An empty text removes an optional value.
    let change = |name: &str| {
        text(name).map(|text| match text.trim() {
            "" => FieldChange::Clear,
            _ => FieldChange::Set(text),
        })
    };
    let patch = AppPatch {
        launch_path: text("launch_path"),
        runtime_exe: change("runtime_exe"),
        process_name: change("process_name"),
        mode,
        allowed_agents: agents.map(|agents| agents.into_iter().map(str::to_owned).collect()),
    };
    Ok(ProposedChange { action, name: text("name").unwrap_or_default(), patch })
}
