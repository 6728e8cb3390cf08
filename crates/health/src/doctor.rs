//! The checks of `doctor`: problems of an installation, each with its fix.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use tarsus_home::config::Config;
use tarsus_home::settings::Enforcement;
use tarsus_home::{Home, credentials, settings};
use tarsus_protocol::report::{Check, DoctorReport, StatusReport, StoreStatus};
use tarsus_text::{count, number};

use crate::UNRESTRICTED;
use crate::check::{AUDIT_TITLE, OTHERS_ANY, Privacy, audit_fault, error, failed, ok, privacy, warning};

/// Runs all checks. `config` is `None` if the file cannot be read; `status` has the reason.
#[must_use]
pub fn report(home: &Home, config: Option<&Config>, status: &StatusReport) -> DoctorReport {
    let mut checks = vec![
        state_dir(home),
        config_file(status, home),
        own_settings(home),
        private("token", "gateway token", &home.token_path(), home),
        private("secrets", "secret store", &home.secrets_path(), home),
        audit(status),
        store(&status.store),
        gateway(status, config),
    ];
    checks.extend(enforcement(status));
    checks.extend(config.and_then(access));
    checks.extend(config.and_then(remote));
    DoctorReport { checks }
}

fn state_dir(home: &Home) -> Check {
    let path = home.state_dir();
    if path.is_dir() {
        private("state-dir", "state folder", path, home)
    } else if path.exists() {
        error("state-dir", "state folder", format!("{} is not a folder", home.display(path)), "move it away")
    } else {
        ok("state-dir", "state folder", "does not exist yet; `tarsus up` creates it")
    }
}

fn private(id: &str, title: &str, path: &Path, home: &Home) -> Check {
    match privacy(id, title, path, OTHERS_ANY, home) {
        Privacy::Private => ok(id, title, format!("{} is private to you", home.display(path))),
        Privacy::Missing => ok(id, title, "does not exist yet"),
        Privacy::Open(check) => check,
        Privacy::Failed(error) => failed(id, title, error),
    }
}

fn config_file(status: &StatusReport, home: &Home) -> Check {
    const TITLE: &str = "configuration";
    const FIX: &str = "tarsus config validate";
    let found = &status.config;
    if let Some(issue) = found.issues.first() {
        let message = format!("{}: {}", count(found.issues.len(), "mistake"), issue.message);
        error("config", TITLE, message, FIX)
    } else if let Some(first) = found.warnings.first() {
        let message = format!("{}: {}", count(found.warnings.len(), "unknown key"), first.path);
        warning("config", TITLE, message, FIX)
    } else if found.exists {
        ok("config", TITLE, format!("{} is valid", home.display(home.config_path())))
    } else {
        ok("config", TITLE, "no file; the defaults are in effect")
    }
}

fn own_settings(home: &Home) -> Check {
    const TITLE: &str = "own settings";
    let path = home.display(&home.settings_path());
    match settings::load(home) {
        Ok(found) if found.unknown.is_empty() => {
            ok("settings", TITLE, format!("{path} is valid or not needed"))
        }
        Ok(found) => {
            let unknown = count(found.unknown.len(), "unknown key");
            let message = format!("{path} has {unknown}: {}", found.unknown.join(", "));
            warning("settings", TITLE, message, "check the spelling")
        }
        Err(error) => failed("settings", TITLE, error),
    }
}

fn audit(status: &StatusReport) -> Check {
    let found = &status.audit;
    if !found.verified {
        return audit_fault(found.fault.as_deref().unwrap_or_default());
    }
    match found.records {
        0 => ok("audit", AUDIT_TITLE, "no records yet"),
        records => ok("audit", AUDIT_TITLE, format!("verified through record {}", number(records))),
    }
}

fn store(store: &StoreStatus) -> Check {
    const TITLE: &str = "sessions";
    match (&store.problem, store.exists) {
        (Some(problem), _) => error("store", TITLE, problem, store.hint.as_deref().unwrap_or_default()),
        (None, true) => ok("store", TITLE, "the store is readable"),
        (None, false) => ok("store", TITLE, "no session yet"),
    }
}

fn gateway(status: &StatusReport, config: Option<&Config>) -> Check {
    const TITLE: &str = "gateway";
    let found = &status.gateway;
    if found.running && found.uptime_ms.is_some() {
        return ok("gateway", TITLE, format!("listens on {}", found.addresses.join(" and ")));
    }
    if found.running {
        let pid = found.pid.unwrap_or_default();
        let message = format!("pid {pid} holds the state folder but does not respond");
        return error("gateway", TITLE, message, "stop that process, then run `tarsus up`");
    }
    let port = config.map_or(18789, |config| config.gateway.port);
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => ok("gateway", TITLE, format!("not running; port {port} is free")),
        Err(error) => {
            let message = format!("not running, and port {port} cannot be used: {error}");
            let fix = "stop the program that uses the port, or run `tarsus config set gateway.port N`";
            warning("gateway", TITLE, message, fix)
        }
    }
}

/// A warning if community skills are not restricted.
fn enforcement(status: &StatusReport) -> Option<Check> {
    let is_off = status.enforcement.as_deref() == Some(Enforcement::Off.name());
    let fix = "remove skills.security.enforcement; see `tarsus security audit`";
    is_off.then(|| warning("enforcement", "enforcement", UNRESTRICTED, fix))
}

/// A warning about settings of a remote gateway.
fn remote(config: &Config) -> Option<Check> {
    let (key, why) = credentials::unused_remote_setting(&config.gateway)?;
    Some(warning("remote", "remote gateway", format!("{key} {why}"), format!("tarsus config unset {key}")))
}

/// A warning about the gateway's authentication.
fn access(config: &Config) -> Option<Check> {
    let hint = credentials::auth_warning(&config.gateway)?;
    Some(warning("access", "access", hint, "see `tarsus docs security`"))
}
