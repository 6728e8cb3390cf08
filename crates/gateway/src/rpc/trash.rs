//! Moves skills to the trash and restores them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use tarsus_guard::ChangeOrigin;
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::skills::{SkillRemoveParams, SkillRestoreParams, SkillsParams};
use tarsus_protocol::skills_acts::{SkillRemoved, SkillRestored, SkillTrash};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_skills::removal;

use super::failure::{Failure, echoed};
use super::skills;
use crate::gateway::Gateway;
use crate::reload;

pub(super) fn remove(gateway: &Gateway, params: SkillRemoveParams) -> Result<SkillRemoved, Failure> {
    let SkillRemoveParams { agent_id, skill_key } = params;
    let skills = skills::find_snapshot(gateway, &SkillsParams { agent_id })?;
    let catalog = &skills.catalog;
    let with_key = catalog.entries.iter().filter(|found| found.key() == skill_key);
    let mut with_key = with_key.filter_map(|found| catalog.find_decidable(&found.name()));
    let found = match (with_key.next(), with_key.next()) {
        (Some(found), None) => found,
        (None, _) => {
            let message = format!("unknown skill key \"{}\"", echoed(&skill_key));
            return Err(Problem::new(ErrorCode::NotFound, message).into());
        }
        (Some(one), Some(other)) => {
            let message = format!(
                "the key \"{}\" belongs to more than one skill: {}, {}",
                echoed(&skill_key),
                echoed(&one.name()),
                echoed(&other.name())
            );
            let problem = Problem::new(ErrorCode::Usage, message);
            return Err(problem.hint("`tarsus skills remove NAME` removes one of them").into());
        }
    };
    let roots = gateway.skills.library().roots();
    let context = &gateway.context;
    let (removed, _) =
        removal::remove(&context.home, Ok(&context.audit), (found, &roots), &origin(), gateway.now())?;
    reload_skill(gateway, removed.path.clone().into())?;
    Ok(removed)
}

pub(super) fn restore(gateway: &Gateway, params: SkillRestoreParams) -> Result<SkillRestored, Failure> {
    let roots = gateway.skills.library().roots();
    let context = &gateway.context;
    let restored =
        removal::restore(&context.home, &context.audit, &params.id, &roots, &origin(), gateway.now())?;
    reload_skill(gateway, restored.path.clone().into())?;
    Ok(restored)
}

pub(super) fn list(gateway: &Gateway, _: NoParams) -> Result<SkillTrash, Failure> {
    Ok(removal::list_trash(&gateway.context.home)?)
}

fn origin() -> ChangeOrigin {
    ChangeOrigin { surface: "gateway".to_owned(), agent: None }
}

/// Applies the change before the reply is sent.
fn reload_skill(gateway: &Gateway, folder: PathBuf) -> Result<(), Failure> {
    gateway.skills.reload_folders(&BTreeSet::from([folder]));
    Ok(gateway.reload(reload::ReloadTrigger::Owner, false)?)
}
