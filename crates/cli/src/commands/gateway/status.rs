//! `gateway status`: process, start time, address, and whether it answers.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use tarsus_home::runtime_lock::Holder;
use tarsus_protocol::{ExitCode, Problem};

use crate::context::Context;
use crate::gateway;
use crate::output::Output;
use crate::text::{columns, duration};

/// The gateway of a state folder. Unknown values are `null`.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayState {
    running: bool,
    pub pid: Option<u32>,
    started_at: Option<Timestamp>,
    uptime_ms: Option<u64>,
    port: Option<u16>,
    pub url: Option<String>,
    addresses: Vec<String>,
    pub reachable: bool,
    version: Option<String>,
    problem: Option<String>,
}

impl GatewayState {
    /// Queries the process that holds the runtime lock.
    pub fn probe(holder: &Holder, context: &Context) -> Self {
        let state = Self {
            running: true,
            pid: Some(holder.pid),
            started_at: Some(holder.started_at),
            port: holder.port,
            url: holder.port.map(|port| format!("http://127.0.0.1:{port}/")),
            ..Self::default()
        };
        match gateway::report(holder, context) {
            Ok(report) => Self {
                uptime_ms: report.gateway.uptime_ms,
                addresses: report.gateway.addresses,
                version: report.gateway.version,
                reachable: true,
                ..state
            },
            Err(problem) => Self { problem: Some(problem.message), ..state },
        }
    }
}

/// Prints the state. The exit code tells whether the gateway answers.
pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let state =
        gateway::holder(context)?.map(|holder| GatewayState::probe(&holder, context)).unwrap_or_default();
    output.show(&state, text)?;
    Ok(if state.reachable { ExitCode::Done } else { ExitCode::Unreachable })
}

fn text(state: &GatewayState) -> String {
    let Some(pid) = state.pid else {
        return "not running: `tarsus gateway start` starts it in the background".to_owned();
    };
    let zone = TimeZone::system();
    let since = state.started_at.map(|at| at.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string());
    let up = state.uptime_ms.map(|up| format!("up {}", duration(Duration::from_millis(up))));
    let rows = [
        ("pid", Some(pid.to_string())),
        ("since", since.map(|since| up.into_iter().fold(since, |since, up| format!("{since}, {up}")))),
        ("listens", (!state.addresses.is_empty()).then(|| state.addresses.join(" and "))),
        ("url", state.url.clone()),
        ("version", state.version.clone()),
        (
            "answers",
            Some(state.problem.as_ref().map_or("yes".to_owned(), |problem| format!("no: {problem}"))),
        ),
    ];
    let row = |(name, value): (&str, Option<String>)| Some([name.to_owned(), value?]);
    columns(&rows.into_iter().filter_map(row).collect::<Vec<_>>())
}
