//! Commands that change the registry: show the proposal, ask for confirmation, save.
//!
//! Without `--yes` the save applies only to the version that was shown; with it, to whatever is stored.

use tarsus_apps::run::{Desktop, is_shorthand_path};
use tarsus_apps::{
    App, AppEntry, AppMode, AppPatch, BaseVersion, LoadedRegistry, Proposal, Registry, RegistryChange,
    RegistryError, impossible_agent_ids, quoted,
};
use tarsus_host::platform::Platform;
use tarsus_protocol::apps::{AppAction, AppChange};
use tarsus_protocol::rpc::FieldChange;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::backend::AppBackend;
use super::show::entry_text;
use crate::args::{Apps, Consent, Values};
use crate::context::Context;
use crate::input;
use crate::output::Output;
use crate::text::printable;

/// Runs a step that changes the registry.
pub fn run(step: Apps, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let mut editor = RegistryEditor { registry: Registry::for_home(&context.home), context, output };
    match step {
        Apps::Add { name, values, consent } => {
            let add = RegistryChange::Add { name, entry: entry_from_values(&values)? };
            add.check().map_err(RegistryError::from)?;
            editor.create_if_missing(consent)?;
            editor.save(AppAction::Add, |_| Ok(add.clone()), consent)
        }
        Apps::Edit { name, values, clear_runtime_exe, clear_process_name, consent } => {
            let change = |loaded: &LoadedRegistry| {
                let app = super::find_exact(loaded, &name, "edit")?;
                let patch = patch_from_values(app, &values, clear_runtime_exe, clear_process_name)?;
                Ok(RegistryChange::Edit { name: app.name.clone(), patch })
            };
            editor.save(AppAction::Edit, change, consent)
        }
        Apps::Policy { name, mode, allow, consent } => {
            let change = |loaded: &LoadedRegistry| {
                let app = super::find_exact(loaded, &name, "policy")?;
                let (mode, agents) = policy_from_flags(Some(mode), &allow, Some(app))?;
                Ok(RegistryChange::policy(&app.name, mode, agents))
            };
            editor.save(AppAction::Policy, change, consent)
        }
        Apps::Delete { name, consent } => {
            let change = |loaded: &LoadedRegistry| {
                let name = super::find_exact(loaded, &name, "delete")?.name.clone();
                Ok(RegistryChange::Delete { name })
            };
            editor.save(AppAction::Delete, change, consent)
        }
        _ => editor.create(),
    }
}

/// Shows, confirms and saves changes of the registry.
struct RegistryEditor<'c> {
    registry: Registry,
    context: &'c Context,
    output: &'c mut Output,
}

impl RegistryEditor<'_> {
    fn create(&mut self) -> Result<ExitCode, Problem> {
        let changed = self.create_file(&self.registry.load()?)?;
        let path = self.context.home.display(self.registry.path());
        self.output.show(&changed, |_| format!("created {path}"))?;
        Ok(ExitCode::Done)
    }

    /// Creates the registry file after confirmation, if it does not exist.
    fn create_if_missing(&mut self, consent: Consent) -> Result<(), Problem> {
        let loaded = self.registry.load()?;
        if loaded.exists() {
            return Ok(());
        }
        let path = self.context.home.display(&loaded.path);
        if !consent.yes {
            let question = format!("{path} is not created yet. Create it?");
            input::confirm(&question, self.context, self.output)?;
        }
        match self.create_file(&loaded) {
            Ok(_) if self.output.is_json() => Ok(()),
            Ok(_) => self.output.text(&format!("created {path}")),
            // Another process created the same file first.
            Err(_) if self.registry.load()?.exists() => Ok(()),
            Err(problem) => Err(problem),
        }
    }

    fn create_file(&mut self, loaded: &LoadedRegistry) -> Result<AppChange, Problem> {
        let mut backend = AppBackend::connect(self.context, self.output)?;
        backend.save(AppAction::Create, &RegistryChange::Create, loaded, BaseVersion::NoFile).map_err(
            |problem| match problem.code {
                // Another process created the same file first.
                ErrorCode::Stale => RegistryError::AlreadyThere { path: loaded.path.clone() }.into(),
                _ => problem,
            },
        )
    }

    fn save(
        &mut self,
        action: AppAction,
        change: impl Fn(&LoadedRegistry) -> Result<RegistryChange, Problem>,
        consent: Consent,
    ) -> Result<ExitCode, Problem> {
        loop {
            let loaded = self.registry.load()?;
            let change = change(&loaded)?;
            let proposal = loaded.propose(&change)?;
            if !self.output.is_json() {
                let desktop = Desktop::new(&Platform::detect(), self.context.environment.variables());
                self.output.text(&proposal_text(&proposal, &desktop))?;
            }
            let version = if consent.yes {
                BaseVersion::Any
            } else if proposal.before == proposal.after {
                loaded.version()
            } else {
                let question =
                    if action == AppAction::Delete { "Delete this entry?" } else { "Save this entry?" };
                input::confirm(question, self.context, self.output)?;
                loaded.version()
            };
            // Connect only now: the person may take long to answer.
            let mut backend = AppBackend::connect(self.context, self.output)?;
            match backend.save(action, &change, &loaded, version) {
                Ok(report) => {
                    self.output.show(&report, |report| {
                        done_text(action, change.name().unwrap_or_default(), report.saved)
                    })?;
                    return Ok(ExitCode::Done);
                }
                // `--yes` also covers the registry as it is now.
                Err(problem) if problem.code == ErrorCode::Stale && consent.yes && self.output.is_json() => {}
                Err(problem) if problem.code == ErrorCode::Stale && !self.output.is_json() => {
                    let changed =
                        "\nThe registry changed in the meantime, so nothing was saved. The entry is now:\n";
                    self.output.text(changed)?;
                }
                Err(problem) => return Err(problem),
            }
        }
    }
}

fn proposal_text(proposal: &Proposal, desktop: &Desktop) -> String {
    let block = |title: &str, app: &App| {
        format!("{title} {}\n{}", printable(&app.name), entry_text(app, String::new()))
    };
    match (&proposal.before, &proposal.after) {
        (Some(before), Some(after)) => {
            format!("{}\n{}{}", block("now", before), block("then", after), proposal_notes(after, desktop))
        }
        (None, Some(after)) => format!("{}{}", block("new", after), proposal_notes(after, desktop)),
        (Some(before), None) => block("now", before),
        (None, None) => String::new(),
    }
}

/// Notes to read before confirming.
fn proposal_notes(app: &App, desktop: &Desktop) -> String {
    let mut notes: Vec<String> = Vec::new();
    let launch_path = app.launch_path.iter().filter(|path| !desktop.has_launch_path(path));
    let runtime_exe = app.runtime_exe.iter().filter(|path| !desktop.has_program(path));
    notes.extend(launch_path.chain(runtime_exe).map(|path| match is_shorthand_path(path) {
        true => format!("{path} is not a full path, so nothing can be launched there"),
        false => format!("{path} is not on this machine"),
    }));
    let target = app.launch_path.as_deref().and_then(|path| desktop.shortcut_target(path));
    if let (None, Some(target)) = (&app.runtime_exe, target) {
        notes.push(format!("the shortcut points to {target}"));
        notes.push("--runtime-exe stores it, if that is the program that runs".to_owned());
    }
    if app.runtime_exe.is_none() && app.process_name.is_none() {
        notes.push("without process_name or runtime_exe it can be launched, but not stopped".to_owned());
    }
    if let Some(entry) = app.entry() {
        let note = |id| format!("no agent can have the id {id:?}; ids have small letters, digits, - and _");
        notes.extend(impossible_agent_ids(entry.allowed_agents()).map(note));
    }
    notes.iter().map(|note| format!("note: {}\n", printable(note))).collect()
}

fn done_text(action: AppAction, name: &str, saved: bool) -> String {
    let shown = printable(name);
    match action {
        _ if !saved => format!("{shown} already has these values; nothing was changed"),
        AppAction::Add => format!("added {shown}: `tarsus apps launch {}` starts it", quoted(name)),
        AppAction::Delete => format!("deleted {shown}"),
        AppAction::Create | AppAction::Edit | AppAction::Policy => format!("saved {shown}"),
    }
}

/// Builds the entry of `apps add`.
fn entry_from_values(values: &Values) -> Result<AppEntry, Problem> {
    let missing = |flag: &str| Problem::new(ErrorCode::Usage, format!("a new app needs {flag}"));
    let launch_path = launch_path(values)?.ok_or_else(|| missing("--launch-path"))?;
    let mode = values.mode.ok_or_else(|| missing("--mode"))?;
    let (mode, agents) = policy_from_flags(Some(mode), &values.allow, None)?;
    Ok(AppEntry {
        runtime_exe: values.runtime_exe.clone(),
        process_name: values.process_name.clone(),
        ..AppEntry::new(launch_path, mode, agents)
    })
}

fn patch_from_values(
    app: &App,
    values: &Values,
    clear_exe: bool,
    clear_name: bool,
) -> Result<AppPatch, Problem> {
    let change = |value: &Option<String>, clear: bool| match value {
        Some(value) => Some(FieldChange::Set(value.clone())),
        None => clear.then_some(FieldChange::Clear),
    };
    let policy = match (values.mode, values.allow.is_empty()) {
        (None, true) => AppPatch::default(),
        _ => {
            let (mode, agents) = policy_from_flags(values.mode, &values.allow, Some(app))?;
            AppPatch::policy(mode, agents)
        }
    };
    let patch = AppPatch {
        launch_path: launch_path(values)?,
        runtime_exe: change(&values.runtime_exe, clear_exe),
        process_name: change(&values.process_name, clear_name),
        ..policy
    };
    if patch == AppPatch::default() {
        return Err(Problem::new(ErrorCode::Usage, "nothing to change was named")
            .hint("name it with a flag (--help lists them); in the menu of `tarsus apps`, `edit` asks for each value"));
    }
    Ok(patch)
}

fn launch_path(values: &Values) -> Result<Option<String>, Problem> {
    match &values.launch_path {
        Some(path) if path.trim().is_empty() => {
            Err(Problem::new(ErrorCode::Usage, "--launch-path may not be empty"))
        }
        path => Ok(path.clone()),
    }
}

/// Builds a launch policy from the flags, falling back to the stored entry.
fn policy_from_flags(
    mode: Option<AppMode>,
    allow: &[String],
    stored: Option<&App>,
) -> Result<(AppMode, Vec<String>), Problem> {
    let usage = |message: &str, hint: &str| Problem::new(ErrorCode::Usage, message).hint(hint);
    let mode = mode.or(stored.and_then(|app| app.mode));
    let mode = mode.ok_or_else(|| usage("the entry has no mode yet", "add --mode full, allowlist or off"))?;
    if mode != AppMode::Allowlist {
        return match allow {
            [] => Ok((mode, Vec::new())),
            _ => Err(usage(
                "--allow counts only in mode allowlist",
                "add --mode allowlist, or leave --allow out",
            )),
        };
    }
    let stored = stored.map(|app| app.allowed_agents.as_slice()).unwrap_or_default();
    let agents = if allow.is_empty() { stored } else { allow };
    if agents.iter().all(String::is_empty) {
        return Err(usage("mode allowlist needs at least one agent", "add --allow AGENT, once for each"));
    }
    Ok((mode, agents.to_vec()))
}
