//! `status`: shows what is running and whether it is healthy.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use tarsus_health::status::{self as health, StatusInputs};
use tarsus_home::config::view::Agent;
use tarsus_home::config::{Config, LoadedConfig};
use tarsus_home::runtime_lock::Holder;
use tarsus_home::settings::Enforcement;
use tarsus_protocol::report::{
    AcceptedSkill, AppsStatus, BlockedSkill, ConfigReload, GatewayStatus, SkillsStatus, StatusReport,
    StoreStatus,
};
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::SkillsLoader;
use tarsus_skills::gate::ScanScope;
use tarsus_store::{CheckExtent, check};

use super::skills::agent_skills::{evaluation_inputs, record_blocked};
use super::skills::findings;
use crate::context::Context;
use crate::gateway;
use crate::output::Output;
use crate::text::{columns, count, duration, number, printable};

/// The enforcement mode without restrictions.
const UNRESTRICTED_MODE: &str = Enforcement::Off.name();
/// Warning shown in red.
const UNRESTRICTED: &str = "enforcement off: community skills can use every tool";
const LOUD: Style = AnsiColor::Red.on_default().bold();

/// Colours a part of the text. Apply it after aligning columns: styles have no width.
pub fn highlight(text: &str, what: &str) -> String {
    text.replace(what, &format!("{LOUD}{what}{LOUD:#}"))
}

pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    output.show(&report(context)?, |report| text(report, context))?;
    Ok(ExitCode::Done)
}

/// Returns the status report: the gateway's own if it runs, else, and for `--agent`, one made from disk.
pub fn report(context: &Context) -> Result<StatusReport, Problem> {
    // A broken file is part of the report; use the defaults here.
    let read = context.config();
    let defaults = Config::default();
    let config = read.as_ref().map_or(&defaults, |loaded| &loaded.view);
    let agent = context.agent(config)?;
    let own_config = context.home.config_path().display().to_string();
    let gateway = match gateway::holder(context)? {
        None => GatewayStatus::default(),
        Some(holder) => match gateway::report(&holder, context) {
            Ok(report) if context.named_agent().is_none() && report.config.path == own_config => {
                return Ok(report);
            }
            Ok(report) => report.gateway,
            Err(problem) => unresponsive(&holder, &problem),
        },
    };
    let audit = context.existing_audit().map_err(Problem::from);
    let skills = |config: &LoadedConfig, agent: &Agent| {
        // Before the first start, `status` must not write bundled skills to disk.
        context.home.own_dir().is_dir().then_some(())?;
        let inputs = evaluation_inputs(context, config).ok()?;
        let mut loader = SkillsLoader::load(inputs, agent, ScanScope::Required, context.clock.wall_ms());
        record_blocked(&mut loader, context);
        Some(loader.snapshot().evaluation().counts.clone())
    };
    Ok(health::report(StatusInputs {
        home: &context.home,
        file: read,
        active: None,
        skills: &skills,
        agent: Some(&agent.id),
        store: StoreStatus::from_check(check(&context.home, CheckExtent::Quick)),
        audit: audit.as_ref().map(Option::as_ref).map_err(Problem::clone),
        gateway,
    }))
}

/// The status of a process that does not answer.
fn unresponsive(holder: &Holder, problem: &Problem) -> GatewayStatus {
    tracing::info!(%problem, "the gateway does not answer");
    GatewayStatus { running: true, pid: Some(holder.pid), port: holder.port, ..Default::default() }
}

fn text(report: &StatusReport, context: &Context) -> String {
    let row = |name: &str, value: String, more: String| [name.to_owned(), value, more];
    let mut rows = vec![
        row("gateway", gateway_text(&report.gateway), String::new()),
        match &report.model {
            Some(model) => row("model", model.clone(), String::new()),
            None => row("model", "none yet".to_owned(), "tarsus models set".to_owned()),
        },
        skills_row(report.skills.as_ref()),
    ];
    rows.extend(report.skills.as_ref().and_then(accepted_row));
    rows.extend([apps_row(&report.apps), guard_row(report)]);
    let fault = report.audit.fault.as_ref();
    rows.extend(
        fault.map(|fault| row("", "tarsus audit reset starts a new one".to_owned(), printable(fault))),
    );
    let problem = report.store.problem.as_ref();
    rows.extend(problem.map(|problem| row("sessions", problem.clone(), "tarsus doctor".to_owned())));
    rows.push(config_row(report));
    rows.extend(report.gateway.config_reload.iter().flat_map(pending_reload_rows));
    rows.push(row("state", context.home.display(context.home.state_dir()), String::new()));
    highlight(&columns(&rows), UNRESTRICTED)
}

fn gateway_text(gateway: &GatewayStatus) -> String {
    match (gateway.running, gateway.pid, gateway.uptime_ms) {
        (false, _, _) => "not running (`tarsus up` starts it)".to_owned(),
        (true, pid, Some(uptime)) => format!(
            "running, pid {}, up {}, {} (loopback)",
            pid.unwrap_or_default(),
            duration(Duration::from_millis(uptime)),
            gateway.addresses.join(" and ")
        ),
        (true, pid, None) => {
            format!("pid {} holds the state folder but does not answer", pid.unwrap_or_default())
        }
    }
}

fn skills_row(skills: Option<&SkillsStatus>) -> [String; 3] {
    let row = |value: String, more: &str| ["skills".to_owned(), value, more.to_owned()];
    let Some(skills) = skills else { return row("not loaded yet".to_owned(), "tarsus skills") };
    let mut value = format!("{} ready", number(skills.ready));
    let others = [
        (skills.need_setup, if skills.need_setup == 1 { "needs setup" } else { "need setup" }),
        (skills.unavailable, "unavailable"),
        (skills.blocked, "blocked"),
        (skills.unreadable, "cannot be read"),
        (skills.limits_reached, "limits reached"),
    ];
    for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
        value.push_str(&format!(" · {} {what}", number(count)));
    }
    let Some(BlockedSkill { name, finding }) = &skills.first_blocked else {
        return row(value, "tarsus skills check");
    };
    let found = finding.as_ref().map(findings::summary).unwrap_or_default();
    row(value, &format!("{}: {found}  tarsus skills check", printable(name)))
}

/// The first skill with critical findings that the owner accepted: the mark that every list shows.
fn accepted_row(skills: &SkillsStatus) -> Option<[String; 3]> {
    let AcceptedSkill { name, status, findings } = skills.first_accepted.as_ref()?;
    let others = match skills.accepted.saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {} more)", number(more)),
    };
    let value = format!("{}: {}; {findings}{others}", printable(name), status.as_str());
    Some([String::new(), value, "tarsus skills check".to_owned()])
}

fn apps_row(apps: &AppsStatus) -> [String; 3] {
    let row = |value: String, more: &str| ["apps".to_owned(), value, more.to_owned()];
    if let Some(problem) = &apps.problem {
        return row(problem.clone(), "tarsus apps validate");
    }
    if !apps.exists {
        return row("no registry yet".to_owned(), "tarsus apps create");
    }
    let mut value = format!("{} registered", number(apps.registered));
    for (count, what) in [(apps.running, "running"), (apps.off, "off"), (apps.doubtful, "to check")] {
        if count > 0 {
            value.push_str(&format!(", {} {what}", number(count)));
        }
    }
    row(value, if apps.doubtful > 0 { "tarsus apps validate" } else { "tarsus apps" })
}

/// The enforcement mode and the state of the audit chain.
fn guard_row(report: &StatusReport) -> [String; 3] {
    let enforcement = match report.enforcement.as_deref() {
        Some(UNRESTRICTED_MODE) => UNRESTRICTED.to_owned(),
        Some(mode) => format!("enforcement {mode}"),
        None => "enforcement unknown: the settings cannot be read".to_owned(),
    };
    let audit = match (report.audit.verified, report.audit.records) {
        (true, 0) => "no audit records yet".to_owned(),
        (true, records) => format!("audit verified through {}", number(records)),
        (false, _) => "the audit chain is broken".to_owned(),
    };
    let more = match (report.enforcement.as_deref(), report.audit.verified, report.audit.lost) {
        (_, false, _) => "tarsus audit verify".to_owned(),
        (None, ..) => "tarsus doctor".to_owned(),
        (Some(UNRESTRICTED_MODE), ..) => "tarsus security audit".to_owned(),
        (_, _, 0) => String::new(),
        (_, _, lost) => format!("{} could not be written", number(lost)),
    };
    ["guard".to_owned(), format!("{enforcement}, {audit}"), more]
}

fn config_row(report: &StatusReport) -> [String; 3] {
    let config = &report.config;
    let state = match (config.exists, config.valid) {
        (false, _) => "no file; the defaults are in effect".to_owned(),
        (true, true) => "ok".to_owned(),
        (true, false) => count(config.issues.len(), "mistake"),
    };
    let more = match (config.issues.first(), config.warnings.first()) {
        (Some(issue), _) => format!("{} (tarsus config validate)", issue.message),
        (None, Some(first)) => {
            format!("{} kept: {}", count(config.warnings.len(), "unknown key"), first.path)
        }
        (None, None) => String::new(),
    };
    ["config".to_owned(), state, more]
}

/// Configuration changes that the running gateway has not applied.
fn pending_reload_rows(reload: &ConfigReload) -> Vec<[String; 3]> {
    let row = |value: String, more: &str| [String::new(), value, more.to_owned()];
    let mut rows = Vec::new();
    if !reload.rejected.is_empty() {
        let files: Vec<&str> = reload.rejected.iter().map(|file| file.path.as_str()).collect();
        rows.push(row(
            format!("the gateway keeps the previous version: {}", files.join(", ")),
            "tarsus config validate",
        ));
    }
    if !reload.needs_restart.is_empty() {
        let keys: Vec<&str> = reload.needs_restart.iter().map(String::as_str).collect();
        rows.push(row(format!("not in effect yet: {}", keys.join(", ")), "tarsus gateway restart"));
    }
    rows
}
