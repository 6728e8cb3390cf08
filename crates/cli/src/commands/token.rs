//! `doctor --generate-gateway-token`: replaces the gateway's token.

use std::path::PathBuf;

use serde::Serialize;
use tarsus_audit::{AuditEntry, RecordSeverity};
use tarsus_home::credentials;
use tarsus_protocol::hello::HealthSummary;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::context::Context;
use crate::gateway::{self, client::Client};
use crate::output::Output;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Generated {
    ok: bool,
    path: PathBuf,
    gateway: GatewayToken,
}

/// Which token the running gateway accepts.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum GatewayToken {
    NotRunning,
    #[serde(rename = "takes-the-new")]
    UsesNew,
    #[serde(rename = "may-take-the-old")]
    MayUseOld,
}

/// Creates the token. It is never printed; its file is private.
pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    context.allow_unreadable_config(output);
    let (home, config) = (&context.home, &context.config()?.view);
    if !credentials::uses_token_file(&config.gateway) {
        return Err(Problem::new(
            ErrorCode::Failed,
            "the configuration sets the gateway's credentials, so the token file is not used",
        )
        .hint("`tarsus config set gateway.auth.token …` changes the token; the file is used only without gateway.auth and gateway.remote"));
    }
    let mut entry = AuditEntry::security("secret.changed", RecordSeverity::Info);
    entry.reason = Some("a new gateway token, on the command line".to_owned());
    context.audit()?.record(entry, context.now())?;
    // Authenticated with the old token, so it is disconnected once that is revoked.
    let running = gateway::holder(context)?;
    let old_client = running.as_ref().map(|_| gateway::connect(context));
    credentials::replace_token(home)?;
    let path = home.token_path();
    let gateway = match old_client {
        None => GatewayToken::NotRunning,
        Some(Ok(old_client)) => wait_for_reload(old_client, context),
        // It could not connect, so whether the new token is accepted cannot be observed.
        Some(Err(_)) => GatewayToken::MayUseOld,
    };
    output.show(&Generated { ok: true, path, gateway }, |generated| {
        let gateway = match generated.gateway {
            GatewayToken::NotRunning | GatewayToken::UsesNew => "the old one is no longer accepted",
            GatewayToken::MayUseOld => {
                "the running gateway may accept the old one until `tarsus gateway restart`"
            }
        };
        format!("a new token is in {}; {gateway}", home.display(&generated.path))
    })?;
    Ok(ExitCode::Done)
}

/// Waits until the gateway disconnects a client with the old token.
fn wait_for_reload(old_client: Client, context: &Context) -> GatewayToken {
    let is_closed = |answer: Result<HealthSummary, Problem>| {
        answer.is_err_and(|problem| problem.code == ErrorCode::Unreachable).then_some(GatewayToken::UsesNew)
    };
    gateway::poll_health(old_client, context, is_closed).unwrap_or(GatewayToken::MayUseOld)
}
