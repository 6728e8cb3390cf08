//! `doctor --generate-gateway-token`: a new token in the place of one that others may know.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;
use tarsus_audit::{Audit, Entry, Severity};
use tarsus_gateway::credentials;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::context::Context;
use crate::gateway::{self, client::Client};
use crate::output::Output;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Generated {
    ok: bool,
    path: PathBuf,
    gateway: Gateway,
}

/// Which token the gateway takes.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Gateway {
    NotRunning,
    TakesTheNew,
    MayTakeTheOld,
}

/// Makes the token. It is never printed: its file is private, and so should be the way out of it.
pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    context.refuse_inside_an_agent("--generate-gateway-token")?;
    let (home, config) = (&context.home, context.load_config()?.view);
    if !credentials::uses_token_file(&config.gateway) {
        return Err(Problem::new(
            ErrorCode::Failed,
            "the configuration says what opens the gateway, so the token file is not used",
        )
        .hint("`tarsus config set gateway.auth.token …` changes it; without gateway.auth and gateway.remote the file counts"));
    }
    let mut entry = Entry::security("secret.changed", Severity::Info);
    entry.reason = Some("a new token of the gateway, on the command line".to_owned());
    Audit::open(home)?.record(entry, context.now())?;
    // It came in by the old token, and is closed when that opens nothing any more.
    let running = gateway::holder(context)?;
    let witness = running.as_ref().map(|_| gateway::connect(context));
    credentials::renew_token(home)?;
    let path = home.token_path();
    let gateway = match witness {
        None => Gateway::NotRunning,
        Some(Ok(witness)) => noticed(witness)?,
        // It took no old token, or does not answer: it has to see the new one, and nobody can tell whether it does.
        Some(Err(_)) => Gateway::MayTakeTheOld,
    };
    output.show(&Generated { ok: true, path, gateway }, |generated| {
        let gateway = match generated.gateway {
            Gateway::NotRunning | Gateway::TakesTheNew => "the old one opens nothing any more",
            Gateway::MayTakeTheOld => {
                "the running gateway may take the old one until `tarsus gateway restart`"
            }
        };
        format!("a new token is in {}; {gateway}", home.display(&generated.path))
    })?;
    Ok(ExitCode::Done)
}

/// Waits until a running gateway closes a client of the old token, as it does by itself unless it is told not to look.
fn noticed(witness: Client) -> Result<Gateway, Problem> {
    let is_closed = |answer: Result<Value, Problem>| {
        answer.is_err_and(|problem| problem.code == ErrorCode::Unreachable).then_some(Gateway::TakesTheNew)
    };
    Ok(gateway::ask_until(witness, is_closed)?.unwrap_or(Gateway::MayTakeTheOld))
}
