//! `status`: what is running, and whether it is well.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tarsus_audit::Audit;
use tarsus_gateway::credentials::Credentials;
use tarsus_gateway::overview;
use tarsus_home::config::view::Config;
use tarsus_home::runtime_lock::{self, Holder};
use tarsus_host::loopback;
use tarsus_protocol::report::{AppsStatus, GatewayStatus, SkillsStatus, StatusReport};
use tarsus_protocol::{ExitCode, Problem};

use crate::context::Context;
use crate::output::Output;
use crate::text::{columns, count, duration, number};

/// How long the gateway may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Prints the report.
pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    output.show(&report(context)?, |report| text(report, context))?;
    Ok(ExitCode::Done)
}

/// The report that the page shows too; the gateway speaks for itself, the rest is read from disk.
pub fn report(context: &Context) -> Result<StatusReport, Problem> {
    // A broken file is part of the report; the defaults stand in for it here.
    let config = context.load_config().map(|loaded| loaded.view).unwrap_or_default();
    let agent = context.agent(&config)?;
    let audit = Audit::open_existing(&context.home).ok().flatten();
    let gateway = match runtime_lock::holder(&context.home)? {
        Some(holder) => ask(context, &config, &holder),
        None => GatewayStatus::default(),
    };
    Ok(overview::gather(
        &context.home,
        &|name| context.variable(name),
        context.environment.programs(),
        Some(&agent.id),
        audit.as_ref(),
        gateway,
    ))
}

/// What a running gateway says of itself; a process that does not answer is named all the same.
fn ask(context: &Context, config: &Config, holder: &Holder) -> GatewayStatus {
    let silent =
        GatewayStatus { running: true, pid: Some(holder.pid), port: holder.port, ..Default::default() };
    let Some(port) = holder.port else { return silent };
    let credentials = Credentials::choose(&config.gateway, &context.home, &|name| context.variable(name));
    let token = match &credentials {
        Ok(Credentials::Shared(secret)) => Some(secret.expose()),
        Ok(Credentials::None) => None,
        Err(_) => return silent,
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    match loopback::get(address, "/api/status", token, PATIENCE) {
        Ok((200, body)) => {
            serde_json::from_slice::<StatusReport>(&body).map_or(silent, |report| report.gateway)
        }
        Ok((status, _)) => {
            tracing::info!(%address, status, "the gateway does not tell");
            silent
        }
        Err(error) => {
            tracing::info!(%error, "the gateway does not answer");
            silent
        }
    }
}

fn text(report: &StatusReport, context: &Context) -> String {
    let row = |name: &str, value: String, more: String| [name.to_owned(), value, more];
    let rows = [
        row("gateway", gateway(&report.gateway), String::new()),
        match &report.model {
            Some(model) => row("model", model.clone(), String::new()),
            None => row(
                "model",
                "none yet".to_owned(),
                "tarsus config set agents.defaults.model.primary …".to_owned(),
            ),
        },
        skills(report.skills.as_ref()),
        apps(&report.apps),
        match (report.audit.verified, report.audit.records) {
            (true, 0) => row("audit", "nothing recorded yet".to_owned(), String::new()),
            (true, records) => {
                row("audit", format!("verified through {}", number(records)), lost(report.audit.lost))
            }
            (false, _) => row("audit", "does not verify".to_owned(), "tarsus audit verify".to_owned()),
        },
        config(report),
        row("state", context.home.display(context.home.state_dir()), String::new()),
    ];
    columns(&rows)
}

fn gateway(gateway: &GatewayStatus) -> String {
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

fn skills(skills: Option<&SkillsStatus>) -> [String; 3] {
    let row = |value: String, more: &str| ["skills".to_owned(), value, more.to_owned()];
    let Some(skills) = skills else { return row("not looked for yet".to_owned(), "tarsus skills") };
    let mut value = format!("{} ready", number(skills.ready));
    let others = [
        (skills.need_setup, "need setup"),
        (skills.blocked, "blocked"),
        (skills.unreadable, "cannot be read"),
        (skills.limits_reached, "limits reached"),
    ];
    for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
        value.push_str(&format!(" · {} {what}", number(count)));
    }
    row(value, "tarsus skills check")
}

fn apps(apps: &AppsStatus) -> [String; 3] {
    let row = |value: String, more: &str| ["apps".to_owned(), value, more.to_owned()];
    if let Some(problem) = &apps.problem {
        return row(problem.clone(), "tarsus apps validate");
    }
    if !apps.exists {
        return row("no registry yet".to_owned(), "tarsus apps create");
    }
    let mut value = format!("{} registered", number(apps.registered));
    for (count, what) in [(apps.running, "running"), (apps.off, "off"), (apps.doubtful, "to look at")] {
        if count > 0 {
            value.push_str(&format!(", {} {what}", number(count)));
        }
    }
    row(value, if apps.doubtful > 0 { "tarsus apps validate" } else { "tarsus apps" })
}

fn lost(lost: u64) -> String {
    if lost == 0 { String::new() } else { format!("{} could not be written", number(lost)) }
}

fn config(report: &StatusReport) -> [String; 3] {
    let config = &report.config;
    let state = match (config.exists, config.valid) {
        (false, _) => "no file; the defaults are in force".to_owned(),
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
