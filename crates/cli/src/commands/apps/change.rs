//! Commands that change the registry: show the proposal, ask for confirmation, save.
//!
//! Without `--yes` the save applies only to the version that was shown; with it, to whatever is stored.

use tarsus_apps::desk::Act;
use tarsus_apps::run::{Desktop, is_short};
use tarsus_apps::{
    App, Change, Entry, LaunchPath, Loaded, Mode, Patch, Policy, Proposal, Put, Registry, RegistryError,
    Seen, quoted,
};
use tarsus_host::platform::Platform;
use tarsus_protocol::apps::{AppAction, AppChange};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::backend::AppBackend;
use super::lookup;
use super::show::entry_text;
use crate::args::{Apps, Consent, Values};
use crate::context::Context;
use crate::input;
use crate::output::Output;
use crate::text::printable;

/// Runs a step that changes the registry.
pub fn run(step: Apps, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let (action, app) = audit_subject(&step);
    super::owner_only("a command that changes the registry of apps", Act::Change(action), app, context)?;
    let mut editor = RegistryEditor { registry: Registry::of(&context.home), context, output };
    match step {
        Apps::Add { name, values, consent } => {
            let add = Change::Add { name, entry: entry_from_values(&values)? };
            add.check().map_err(RegistryError::from)?;
            editor.create_if_missing(consent)?;
            editor.save(AppAction::Add, |_| Ok(add.clone()), consent)
        }
        Apps::Edit { name, values, clear_runtime_exe, clear_process_name, consent } => {
            let change = |loaded: &Loaded| {
                let app = lookup::find_exact(loaded, &name, "edit")?;
                let patch = patch_from_values(app, &values, clear_runtime_exe, clear_process_name)?;
                Ok(Change::Edit { name: app.name.clone(), patch })
            };
            editor.save(AppAction::Edit, change, consent)
        }
        Apps::Policy { name, mode, allow, consent } => {
            let change = |loaded: &Loaded| {
                let app = lookup::find_exact(loaded, &name, "policy")?;
                Ok(Change::policy(&app.name, policy_from_flags(Some(mode), &allow, Some(app))?))
            };
            editor.save(AppAction::Policy, change, consent)
        }
        Apps::Delete { name, consent } => {
            let change = |loaded: &Loaded| {
                let name = lookup::find_exact(loaded, &name, "delete")?.name.clone();
                Ok(Change::Delete { name })
            };
            editor.save(AppAction::Delete, change, consent)
        }
        _ => editor.create(),
    }
}

fn audit_subject(step: &Apps) -> (AppAction, Option<&str>) {
    match step {
        Apps::Add { name, .. } => (AppAction::Add, Some(name)),
        Apps::Edit { name, .. } => (AppAction::Edit, Some(name)),
        Apps::Policy { name, .. } => (AppAction::Policy, Some(name)),
        Apps::Delete { name, .. } => (AppAction::Delete, Some(name)),
        _ => (AppAction::Create, None),
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

    fn create_file(&mut self, loaded: &Loaded) -> Result<AppChange, Problem> {
        let mut backend = AppBackend::connect(self.context, self.output)?;
        backend.save(AppAction::Create, &Change::Create, loaded, Seen::NoFile).map_err(
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
        change: impl Fn(&Loaded) -> Result<Change, Problem>,
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
            let seen = if consent.yes {
                Seen::Any
            } else if proposal.before == proposal.after {
                loaded.seen()
            } else {
                let question =
                    if action == AppAction::Delete { "Delete this entry?" } else { "Save this entry?" };
                input::confirm(question, self.context, self.output)?;
                loaded.seen()
            };
            // Connect only now: the person may take long to answer.
            let mut backend = AppBackend::connect(self.context, self.output)?;
            match backend.save(action, &change, &loaded, seen) {
                Ok(report) => {
                    self.output.show(&report, |report| {
                        done_text(action, change.name().unwrap_or_default(), report.saved)
                    })?;
                    return Ok(ExitCode::Done);
                }
                // `--yes` also covers the registry as it is now.
                Err(problem) if problem.code == ErrorCode::Stale && consent.yes && self.output.is_json() => {}
                Err(problem) if problem.code == ErrorCode::Stale && !self.output.is_json() => {
                    let changed = "\nThe registry changed meanwhile; nothing was saved. It is now so:\n";
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
    let fields = &app.fields;
    let mut notes: Vec<String> = Vec::new();
    let launch_path = fields.launch_path.iter().filter(|path| !desktop.has(path));
    let runtime_exe = fields.runtime_exe.iter().filter(|path| !desktop.has_program(path));
    notes.extend(launch_path.chain(runtime_exe).map(|path| match is_short(path) {
        true => format!("{path} is not a full path, so nothing will be found there"),
        false => format!("{path} is not on this machine"),
    }));
    let target = fields.launch_path.as_deref().and_then(|path| desktop.shortcut_target(path));
    if let (None, Some(target)) = (&fields.runtime_exe, target) {
        notes.push(format!("the shortcut points to {target}"));
        notes.push("--runtime-exe stores it, if that is the program that runs".to_owned());
    }
    if fields.runtime_exe.is_none() && fields.process_name.is_none() {
        notes.push("without process_name or runtime_exe it can be launched, but not stopped".to_owned());
    }
    if let Some(Policy::Allowlist(agents)) = app.entry().map(|entry| entry.policy) {
        let nobody = |id| format!("no agent can have the id {id:?}; ids have small letters, digits, - and _");
        notes.extend(agents.nobody().map(nobody));
    }
    notes.iter().map(|note| format!("note: {}\n", printable(note))).collect()
}

fn done_text(action: AppAction, name: &str, saved: bool) -> String {
    let shown = printable(name);
    match action {
        _ if !saved => format!("{shown} is so already; nothing was changed"),
        AppAction::Add => format!("added {shown}: `tarsus apps launch {}` starts it", quoted(name)),
        AppAction::Delete => format!("deleted {shown}"),
        AppAction::Create | AppAction::Edit | AppAction::Policy => format!("saved {shown}"),
    }
}

/// Builds the entry of `apps add`.
fn entry_from_values(values: &Values) -> Result<Entry, Problem> {
    let missing = |flag: &str| Problem::new(ErrorCode::Usage, format!("a new app needs {flag}"));
    Ok(Entry {
        launch_path: launch_path(values)?.ok_or_else(|| missing("--launch-path"))?,
        runtime_exe: values.runtime_exe.clone().filter(|exe| !exe.trim().is_empty()),
        process_name: values.process_name.clone().filter(|name| !name.trim().is_empty()),
        policy: match values.mode {
            Some(mode) => policy_from_flags(Some(mode), &values.allow, None)?,
            None => return Err(missing("--mode")),
        },
    })
}

fn patch_from_values(
    app: &App,
    values: &Values,
    clear_exe: bool,
    clear_name: bool,
) -> Result<Patch, Problem> {
    let put = |value: &Option<String>, clear| match value {
        Some(value) => Put::Value(value.clone()),
        None if clear => Put::Clear,
        None => Put::Keep,
    };
    let policy = match (values.mode, values.allow.is_empty()) {
        (None, true) => None,
        _ => Some(policy_from_flags(values.mode, &values.allow, Some(app))?),
    };
    let patch = Patch {
        launch_path: launch_path(values)?,
        runtime_exe: put(&values.runtime_exe, clear_exe),
        process_name: put(&values.process_name, clear_name),
        policy,
    };
    if patch == Patch::default() {
        return Err(Problem::new(ErrorCode::Usage, "nothing to change was named")
            .hint("name it with a flag (--help lists them); in the menu of `tarsus apps`, `edit` asks for each value"));
    }
    Ok(patch)
}

fn launch_path(values: &Values) -> Result<Option<LaunchPath>, Problem> {
    let blank = || Problem::new(ErrorCode::Usage, "--launch-path may not be empty");
    values.launch_path.as_deref().map(|path| LaunchPath::new(path).ok_or_else(blank)).transpose()
}

/// Builds a policy from the flags, falling back to the stored entry.
fn policy_from_flags(mode: Option<Mode>, allow: &[String], stored: Option<&App>) -> Result<Policy, Problem> {
    let stored = stored.map(|app| &app.fields);
    let mode = mode.or(stored.and_then(|fields| fields.mode));
    let usage = |message: &str, hint: &str| Problem::new(ErrorCode::Usage, message).hint(hint);
    let mode = mode.ok_or_else(|| usage("the entry has no mode yet", "add --mode full, allowlist or off"))?;
    if mode != Mode::Allowlist && !allow.is_empty() {
        return Err(usage(
            "--allow counts only in mode allowlist",
            "add --mode allowlist, or leave --allow out",
        ));
    }
    let kept = stored.map(|fields| fields.allowed_agents.as_slice()).unwrap_or_default();
    let agents = if allow.is_empty() { kept } else { allow };
    Policy::new(mode, agents.iter().map(String::as_str))
        .ok_or_else(|| usage("mode allowlist needs at least one agent", "add --allow AGENT, once for each"))
}
