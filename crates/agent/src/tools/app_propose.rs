//! `app_propose`: shows the person a change of the registry, and leaves the yes to the person.
//!
//! Promises: saves nothing. The proposal waits where the Application Manager's own do, so that only what the person says
//! next counts, and only for what was shown.

use std::sync::Arc;

use serde_json::json;
use tarsus_apps::conversation::{Action, Wished};
use tarsus_apps::desk::Surface;
use tarsus_apps::{Mode, Registry};
use tarsus_guard as guard;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::Durability;

use super::check::{Arguments, Field, Kind};
use super::outcome::Outcome;
use super::{LONGEST_NAME, LONGEST_PATH, Running, Tool, apps, blocking};
use crate::manager::parse_conversation;
use crate::turn_context::TurnContext;

/// The words for what can be proposed, in the order in which they are offered.
const ACTIONS: &[&str] = &["add", "edit", "delete", "policy"];
const MODES: &[&str] = &["full", "allowlist", "off"];

const FIELDS: &[Field] = &[
    Field::required("action", Kind::OneOf(ACTIONS), "What to propose"),
    apps::NAME,
    Field::optional(
        "launch_path",
        Kind::Text(LONGEST_PATH),
        "What is launched: a program, shortcut or address",
    ),
    Field::optional(
        "runtime_exe",
        Kind::Text(LONGEST_PATH),
        "The program that then runs; empty takes it away",
    ),
    Field::optional("process_name", Kind::Text(LONGEST_NAME), "The name of its process; empty takes it away"),
    Field::optional("mode", Kind::OneOf(MODES), "Who may launch it: any agent, those listed, nobody"),
    Field::optional("allowed_agents", Kind::Texts(LONGEST_NAME), "The ids of the agents of mode allowlist"),
];

/// The tool.
pub(super) struct AppPropose;

impl Tool for AppPropose {
    fn id(&self) -> guard::Tool {
        guard::Tool::AppPropose
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

    fn run(&self, arguments: Arguments, context: Arc<TurnContext>) -> Running {
        blocking(move || propose(&arguments, &context))
    }
}

fn propose(arguments: &Arguments, context: &TurnContext) -> Result<Outcome, Problem> {
    if !context.has_person() {
        return Err(Problem::new(ErrorCode::NotConfirmed, "nobody is here who could agree to it")
            .note("nothing was proposed")
            .hint("say what you would propose; the person can do it in the Application Manager"));
    }
    let wished = wished(arguments)?;
    let desk = apps::desk(context);
    apps::registry(&desk)?;
    let surface = Surface {
        registry_path: context.services.home.display(Registry::of(&context.services.home).path()),
        person: true,
        model: true,
        locale: context.services.language,
    };
    let kept = context.services.store.conversation(&context.session)?;
    let before = kept.map(|kept| parse_conversation(kept.state)).unwrap_or_default();
    let (conversation, reply) = desk.propose(&before, wished, &surface)?;
    let (state, at_ms) = (json!(conversation), context.services.clock.wall_ms());
    context
        .services
        .store
        .set_conversation(context.session.clone(), Some(&state), at_ms, Durability::KillSafe)
        .wait()?;
    let page = reply.page();
    let told = format!(
        "The person is shown this after your answer, and has to say yes or no. Nothing is saved yet and you cannot agree \
         for them: end your turn now.\n\n{}",
        page.to_string().trim_end()
    );
    Ok(Outcome { page: Some(page), ..Outcome::text(told) })
}

fn wished(arguments: &Arguments) -> Result<Wished, Problem> {
    let text = |name: &str| arguments.text(name).map(str::to_owned);
    let action = match arguments.text("action") {
        Some("add") => Action::Add,
        Some("edit") => Action::Edit,
        Some("delete") => Action::Delete,
        _ => Action::Policy,
    };
    let of_policy: &[&str] = &["mode", "allowed_agents"];
    let of_entry: &[&str] = &["launch_path", "runtime_exe", "process_name"];
    let unused: Vec<&str> = match action {
        Action::Add | Action::Edit => Vec::new(),
        Action::Policy => of_entry.to_vec(),
        Action::Delete => [of_entry, of_policy].concat(),
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
    let mode: Option<Mode> = arguments.text("mode").and_then(|mode| mode.parse().ok());
    let agents = arguments.texts("allowed_agents").filter(|agents| !agents.is_empty());
    if agents.is_some() && mode.is_some_and(|mode| mode != Mode::Allowlist) {
        return Err(Problem::new(
            ErrorCode::Usage,
            "\"allowed_agents\" has a meaning only with the mode allowlist",
        )
        .note("nothing was proposed")
        .hint("leave it out, or use the mode allowlist"));
    }
    Ok(Wished {
        action,
        name: text("name").unwrap_or_default(),
        launch_path: text("launch_path"),
        runtime_exe: text("runtime_exe"),
        process_name: text("process_name"),
        mode,
        agents: agents.map(|agents| agents.into_iter().map(str::to_owned).collect()),
    })
}
