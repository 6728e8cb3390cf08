//! Creates what a first start needs: folders, the token, the settings and the disk space reserve.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use serde::Serialize;
use tarsus_agent::prompt::workspace;
use tarsus_audit::{Audit, AuditEntry, AuditError, RecordSeverity};
use tarsus_home::credentials;
use tarsus_home::files::{self, Reserve};
use tarsus_home::{Home, settings};
use tarsus_protocol::Problem;

use crate::context::Context;

/// A file or folder that was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Created {
    pub path: PathBuf,
    pub purpose: &'static str,
}

/// Opens the audit chain, creates missing files and returns what was created.
///
/// A first start mostly waits for the disk, so independent steps run in parallel.
pub fn prepare(context: &Context, workspace: &Path) -> Result<(Audit, Vec<Created>), Problem> {
    let home = &context.home;
    files::make_private_dir(&home.audit_dir())?;
    thread::scope(|scope| {
        let things = scope.spawn(|| create_missing(home, workspace));
        let audit = context.audit()?;
        establish(&audit, context)?;
        let token = create_token(context, &audit)?;
        let mut created = match things.join() {
            Ok(created) => created?,
            Err(panic) => resume_unwind(panic),
        };
        created.extend(token);
        Ok((audit, created))
    })
}

/// Creates or adopts the chain. With a fault, a start goes on: stopping and denying work, and status tells.
fn establish(audit: &Audit, context: &Context) -> Result<(), Problem> {
    match audit.establish(context.now()) {
        Err(error @ AuditError::Tampered(_)) => {
            tracing::warn!(%error, "nothing that has to be recorded can be done: see `tarsus audit verify`");
            Ok(())
        }
        done => Ok(done?),
    }
}

fn create_missing(home: &Home, workspace: &Path) -> Result<Vec<Created>, Problem> {
    Reserve::at(home.reserve_path()).ensure()?;
    files::make_private_dir(&home.logs_dir())?;
    let folder = workspace::ensure(workspace)?.then(|| Created {
        path: workspace.to_path_buf(),
        purpose: "your agent's folder (AGENTS.md, SOUL.md, …)",
    });
    let settings = settings::ensure(home)?
        .then(|| Created { path: home.settings_path(), purpose: "Tarsus's own settings" });
    Ok(folder.into_iter().chain(settings).collect())
}

fn create_token(context: &Context, audit: &Audit) -> Result<Option<Created>, Problem> {
    let home = &context.home;
    if credentials::stored_token(home)?.is_some() {
        return Ok(None);
    }
    // The first token replaces none. A later one is recorded before it becomes valid.
    if audit.head()?.seq > 0 {
        let mut entry = AuditEntry::security("secret.changed", RecordSeverity::Info);
        entry.reason = Some("a new gateway token, because the old one was missing".to_owned());
        audit.record(entry, context.now())?;
    }
    let is_new = credentials::ensure_token(home)?;
    Ok(is_new.then(|| Created { path: home.token_path(), purpose: "private to you" }))
}
