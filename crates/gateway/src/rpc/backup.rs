//! Creates a backup from the process that owns the store.

use std::path::{Path, PathBuf};

use tarsus_protocol::backup::BackupReport;
use tarsus_protocol::rpc::backup::BackupParams;
use tarsus_store::backup;

use super::failure::Failure;
use crate::gateway::Gateway;

pub(super) fn make(gateway: &Gateway, params: BackupParams) -> Result<BackupReport, Failure> {
    let to = params.to.map(PathBuf::from);
    if to.as_deref().is_some_and(|to| !to.is_absolute()) {
        return Err(Failure::invalid("invalid backup.make params: at /to: must be an absolute path"));
    }
    let home = &gateway.context.home;
    let to = to.unwrap_or_else(|| home.backups_dir());
    let made =
        backup::make(&gateway.store, home, &gateway.config(), Path::new(&to), gateway.now_ms(), &mut |_| {});
    Ok(made?)
}
