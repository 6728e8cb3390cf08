//! `doctor`: reports problems with their fixes. Changes nothing.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use tarsus_home::credentials;
use tarsus_home::files;
use tarsus_home::settings;
use tarsus_protocol::report::{Check, DoctorReport, Level, StatusReport};
use tarsus_protocol::{ExitCode, Problem};

use super::status;
use crate::context::Context;
use crate::output::Output;
use crate::text::{columns, count, number};

/// Warning shown in red.
const UNGUARDED: &str = "off: community skills can use every tool";

/// Runs all checks and prints the report.
pub fn run(strict: bool, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let status = status::report(context)?;
    let mut checks = vec![
        state_dir(context),
        config(&status, context),
        own_settings(context),
        check_private("token", "gateway token", &context.home.token_path(), context),
        check_private("secrets", "secret store", &context.home.secrets_path(), context),
        audit(&status),
        gateway(&status, context),
    ];
    checks.extend(enforcement(&status));
    checks.extend(access(context));
    let report = DoctorReport { checks };
    output.show(&report, text)?;
    Ok(match report.level() {
        Level::Error => ExitCode::Failed,
        Level::Warning if strict => ExitCode::Warnings,
        Level::Ok | Level::Warning => ExitCode::Done,
    })
}

fn check(id: &str, title: &str, level: Level, message: impl Into<String>, fix: Option<String>) -> Check {
    Check { id: id.to_owned(), title: title.to_owned(), level, message: message.into(), fix }
}

fn state_dir(context: &Context) -> Check {
    let path = context.home.state_dir();
    if path.is_dir() {
        check_private("state-dir", "state folder", path, context)
    } else if path.exists() {
        let message = format!("{} is not a folder", context.home.display(path));
        check("state-dir", "state folder", Level::Error, message, Some("move it away".to_owned()))
    } else {
        check("state-dir", "state folder", Level::Ok, "not there yet; `tarsus up` makes it", None)
    }
}

/// Checks whether other accounts can access a file or folder.
fn check_private(id: &str, title: &str, path: &Path, context: &Context) -> Check {
    let shown = context.home.display(path);
    match files::open_to_others(path) {
        Ok(None) if path.exists() => check(id, title, Level::Ok, format!("{shown} is private to you"), None),
        Ok(None) => check(id, title, Level::Ok, "not there yet", None),
        Ok(Some(mode)) => {
            let wanted = if path.is_dir() { "700" } else { "600" };
            let message = format!("{shown} is open to other accounts (mode {mode:o})");
            check(id, title, Level::Warning, message, Some(format!("chmod {wanted} {}", path.display())))
        }
        Err(error) => check(
            id,
            title,
            Level::Error,
            error.to_string(),
            Some(Problem::from(error).next_step().to_owned()),
        ),
    }
}

fn config(status: &StatusReport, context: &Context) -> Check {
    let found = &status.config;
    let (level, message) = if let Some(issue) = found.issues.first() {
        (Level::Error, format!("{}: {}", count(found.issues.len(), "mistake"), issue.message))
    } else if let Some(first) = found.warnings.first() {
        (Level::Warning, format!("{}: {}", count(found.warnings.len(), "unknown key"), first.path))
    } else if found.exists {
        (Level::Ok, format!("{} is valid", context.home.display(context.home.config_path())))
    } else {
        (Level::Ok, "no file; the defaults are in force".to_owned())
    };
    let fix = (level != Level::Ok).then(|| "tarsus config validate".to_owned());
    check("config", "configuration", level, message, fix)
}

fn own_settings(context: &Context) -> Check {
    let shown = context.home.display(&context.home.settings_path());
    match settings::load(&context.home) {
        Ok(found) if found.unknown.is_empty() => {
            check("settings", "own settings", Level::Ok, format!("{shown} is valid or not needed"), None)
        }
        Ok(found) => {
            let message = format!(
                "{shown} has {}: {}",
                count(found.unknown.len(), "unknown key"),
                found.unknown.join(", ")
            );
            check("settings", "own settings", Level::Warning, message, Some("check the spelling".to_owned()))
        }
        Err(error) => {
            let problem = Problem::from(error);
            let fix = problem.next_step().to_owned();
            check("settings", "own settings", Level::Error, problem.to_string(), Some(fix))
        }
    }
}

fn audit(status: &StatusReport) -> Check {
    let found = &status.audit;
    if !found.verified {
        let fix = "tarsus audit verify".to_owned();
        return check("audit", "audit record", Level::Error, "the chain does not verify", Some(fix));
    }
    let message = match found.records {
        0 => "nothing recorded yet".to_owned(),
        records => format!("verified through {}", number(records)),
    };
    check("audit", "audit record", Level::Ok, message, None)
}

fn gateway(status: &StatusReport, context: &Context) -> Check {
    let found = &status.gateway;
    if found.running && found.uptime_ms.is_some() {
        let message = format!("answers on {}", found.addresses.join(" and "));
        return check("gateway", "gateway", Level::Ok, message, None);
    }
    if found.running {
        let message =
            format!("pid {} holds the state folder but does not answer", found.pid.unwrap_or_default());
        let fix = Some("stop that process, then `tarsus up`".to_owned());
        return check("gateway", "gateway", Level::Error, message, fix);
    }
    let port = context.load_config().map_or(18789, |loaded| loaded.view.gateway.port);
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => check("gateway", "gateway", Level::Ok, format!("not running; port {port} is free"), None),
        Err(error) => {
            let message = format!("not running, and port {port} cannot be used: {error}");
            let fix = Some("stop the program that uses it, or `tarsus config set gateway.port N`".to_owned());
            check("gateway", "gateway", Level::Warning, message, fix)
        }
    }
}

/// A warning if community skills are not restricted.
fn enforcement(status: &StatusReport) -> Option<Check> {
    let off = status.enforcement.as_deref() == Some(status::OFF);
    let fix = Some("`tarsus security audit` says more; remove skills.security.enforcement".to_owned());
    off.then(|| check("enforcement", "enforcement", Level::Warning, UNGUARDED, fix))
}

/// A warning about the gateway's authentication.
fn access(context: &Context) -> Option<Check> {
    let config = context.load_config().ok()?.view;
    let fix = Some("`tarsus docs security` says what opens the gateway".to_owned());
    credentials::auth_warning(&config.gateway)
        .map(|hint| check("access", "access", Level::Warning, hint, fix))
}

fn text(report: &DoctorReport) -> String {
    status::highlight(&checks_text(report, "all is well"), UNGUARDED)
}

/// Formats all checks, then the fixes, or `when_ok` if there are none.
pub fn checks_text(report: &DoctorReport, when_ok: &str) -> String {
    let rows: Vec<_> = report
        .checks
        .iter()
        .map(|check| {
            let mark = match check.level {
                Level::Ok => "+ ok",
                Level::Warning => "! warning",
                Level::Error => "x error",
            };
            [mark.to_owned(), check.title.clone(), check.message.clone()]
        })
        .collect();
    let fixes: Vec<_> =
        report.checks.iter().filter_map(|check| Some([check.title.clone(), check.fix.clone()?])).collect();
    let end = if fixes.is_empty() {
        format!("{when_ok}\n")
    } else {
        format!("to do\n{}", indented(&columns(&fixes)))
    };
    format!("{}\n{end}", columns(&rows))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
