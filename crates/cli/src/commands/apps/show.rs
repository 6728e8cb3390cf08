//! Shows registered apps, their state, and errors of the registry.

use std::collections::BTreeMap;

use tarsus_apps::manager::{app_check, app_list, app_status, registered_app};
use tarsus_apps::run::Processes;
use tarsus_apps::{App, LoadedRegistry, Registry, RegistryError};
use tarsus_protocol::apps::{
    AppCheck, AppList, AppMode, AppStatus, AppStatusList, InvalidApp, RegisteredApp,
};
use tarsus_protocol::rpc::apps::{List, Validate};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::backend::AppBackend;
use crate::context::Context;
use crate::output::Output;
use crate::text::{columns, printable};

const NO_APPS: &str = "no applications registered yet: `tarsus apps add` registers one";

/// Lists every app. A missing registry file is not an error.
pub fn list(registry: &Registry, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let path = context.home.display(registry.path());
    match AppBackend::connect(context, output)?.report::<List>(output)? {
        Some(list) => output.show(&list, |list| list_text(list, &path))?,
        None => {
            let loaded = registry.load()?;
            output.show(&app_list(&loaded, Some(&processes()?)), |list| list_text(list, &path))?;
        }
    }
    Ok(ExitCode::Done)
}

/// Shows one app.
pub fn show(
    registry: &Registry,
    name: &str,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let loaded = registry.load()?;
    let app = super::find_app(&loaded, name, "show")?;
    let status = running_status(&[app], context, output)?.pop();
    let (running, pids) = status.map_or((None, Vec::new()), |status| (status.running, status.pids));
    output.show(&RegisteredApp { running, pids, ..registered_app(app, None) }, |entry| {
        format!("{}\n{}", printable(&entry.name), entry_text(app, running_text(entry.running, &entry.pids)))
    })?;
    Ok(ExitCode::Done)
}

/// Shows which apps run.
pub fn status(
    registry: &Registry,
    name: Option<&str>,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let loaded = load_existing(registry)?;
    let apps: Vec<&App> = match name {
        Some(name) => vec![super::find_app(&loaded, name, "status")?],
        None => loaded.apps.iter().collect(),
    };
    let apps = running_status(&apps, context, output)?;
    output.show(&AppStatusList { apps }, status_text)?;
    Ok(ExitCode::Done)
}

/// The running state of each app, from the gateway if possible, else from the process list.
fn running_status(apps: &[&App], context: &Context, output: &mut Output) -> Result<Vec<AppStatus>, Problem> {
    let list = AppBackend::connect(context, output)?.report::<List>(output)?;
    let Some(list) = list else {
        let processes = processes()?;
        return Ok(apps.iter().map(|app| app_status(app, Some(&processes))).collect());
    };
    let reported: BTreeMap<_, _> =
        list.apps.iter().map(|app| (&*app.name, (app.running, &app.pids))).collect();
    let status = |app: &&App| match reported.get(app.name.as_str()) {
        Some(&(running, pids)) => AppStatus { name: app.name.clone(), running, pids: pids.clone() },
        // Registered after the gateway's report.
        None => app_status(app, None),
    };
    Ok(apps.iter().map(status).collect())
}

/// Groups all entries by validity. Invalid entries lead to the exit code of a malformed file.
pub fn validate(registry: &Registry, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let check = match AppBackend::connect(context, output)?.report::<Validate>(output)? {
        Some(check) => check,
        None => app_check(&load_existing(registry)?),
    };
    output.show(&check, |check| check_text(check, &context.home.display(registry.path())))?;
    Ok(if check.ok { ExitCode::Done } else { ExitCode::Malformed })
}

fn load_existing(registry: &Registry) -> Result<LoadedRegistry, Problem> {
    let loaded = registry.load()?;
    if loaded.exists() { Ok(loaded) } else { Err(RegistryError::Missing { path: loaded.path }.into()) }
}

fn processes() -> Result<Processes, Problem> {
    Processes::now().map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))
}

fn list_text(list: &AppList<'_>, path: &str) -> String {
    if !list.registry.exists {
        return format!("{path} is not created yet: `tarsus apps create` makes an empty one");
    }
    if list.apps.is_empty() {
        return NO_APPS.to_owned();
    }
    let row = |app: &RegisteredApp<'_>| {
        [
            printable(&app.name),
            app.mode.map_or("-", AppMode::as_str).to_owned(),
            printable(&app.allowed_agents.join(", ")),
            running_text(app.running, &app.pids),
            printable(&app.reasons.join("; ")),
        ]
    };
    let head = ["Name", "Mode", "Agents", "State", ""].map(str::to_owned);
    columns(&[head].into_iter().chain(list.apps.iter().map(row)).collect::<Vec<_>>())
}

fn status_text(status: &AppStatusList) -> String {
    if status.apps.is_empty() {
        return NO_APPS.to_owned();
    }
    let row = |app: &AppStatus| [printable(&app.name), running_text(app.running, &app.pids)];
    columns(&status.apps.iter().map(row).collect::<Vec<_>>())
}

fn running_text(running: Option<bool>, pids: &[u32]) -> String {
    match running {
        Some(true) => format!("running, {}", pids_text(pids)),
        Some(false) => "not running".to_owned(),
        None => "not known".to_owned(),
    }
}

/// `pid 4711`, `pids 4711, 4712`.
pub fn pids_text(pids: &[u32]) -> String {
    let numbers: Vec<String> = pids.iter().map(ToString::to_string).collect();
    format!("pid{} {}", if pids.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

/// Formats the stored fields of an app, line by line, with its errors.
pub fn entry_text(app: &App, state: String) -> String {
    let App { launch_path, runtime_exe, process_name, mode, allowed_agents, .. } = app;
    let text = |value: &Option<String>| value.as_deref().map_or_else(|| "-".to_owned(), printable);
    let agents =
        if allowed_agents.is_empty() { "-".to_owned() } else { printable(&allowed_agents.join(", ")) };
    let mut rows = vec![
        ["  launch_path".to_owned(), text(launch_path)],
        ["  runtime_exe".to_owned(), text(runtime_exe)],
        ["  process_name".to_owned(), text(process_name)],
        ["  mode".to_owned(), mode.map_or_else(|| "-".to_owned(), |mode| mode.to_string())],
        ["  allowed_agents".to_owned(), agents],
    ];
    if !state.is_empty() {
        rows.push(["  state".to_owned(), state]);
    }
    rows.extend(app.faults.iter().map(|fault| ["  wrong".to_owned(), printable(&fault.to_string())]));
    columns(&rows)
}

fn check_text(check: &AppCheck, path: &str) -> String {
    let groups = &check.groups;
    let mut text = format!("{path}\n\nvalid: {}\n", groups.valid.len());
    for app in &groups.valid {
        text.push_str(&format!("  {}\n", printable(&app.name)));
    }
    let doubtful: [(&str, &[InvalidApp]); 3] = [
        ("incomplete", &groups.incomplete),
        ("malformed", &groups.malformed),
        ("policy mismatch", &groups.policy_mismatch),
    ];
    for (title, apps) in doubtful {
        text.push_str(&format!("{title}: {}\n", apps.len()));
        for app in apps {
            text.push_str(&format!("  {}: {}\n", printable(&app.name), printable(&app.reasons.join("; "))));
        }
    }
    let wrong: usize = doubtful.iter().map(|(_, apps)| apps.len()).sum();
    text.push_str(&match wrong {
        0 => "\nok\n".to_owned(),
        wrong => {
            format!("\n{wrong} to fix: `tarsus apps edit --help` shows how to set wrong or missing values\n")
        }
    });
    text
}
