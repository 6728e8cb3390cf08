//! Files that steer the agent, and its memory: the owner is asked before they are written while a community skill is
//! active, as the skill would otherwise outlive its session in them.

use std::path::Path;

use tarsus_home::settings::Enforcement;
use tarsus_protocol::authorize::{Inspector, Reason};

use super::call::{Call, CallContext, PolicyVerdict};
use crate::restricting_skill::restricting_skills;
use crate::sanitize::sanitize;

/// Files that are named in one sentence.
const MAX_NAMED: usize = 5;

pub(super) fn inspect(call: &Call, context: &CallContext<'_>) -> Vec<Reason> {
    let files = &call.facts.control_files;
    if files.is_empty() || context.enforcement == Enforcement::Off {
        return Vec::new();
    }
    let active = restricting_skills(context.skills, context.active);
    let Some(skill) = active.first() else { return Vec::new() };
    let mut names: Vec<String> =
        files.iter().take(MAX_NAMED).map(|file| sanitize(&shown(file, context))).collect();
    if files.len() > MAX_NAMED {
        names.push(format!("{} more", files.len() - MAX_NAMED));
    }
    let what = if files.len() == 1 {
        "steers the agent or is its memory"
    } else {
        "steer the agent or are its memory"
    };
    let message = format!(
        "{} {what}, and the skill {} is active, which somebody else wrote",
        names.join(", "),
        sanitize(skill.name())
    );
    let mut reason = PolicyVerdict::ask(message).to_reason(Inspector::ControlFiles);
    reason.skill = Some(skill.name().to_owned());
    vec![reason]
}

/// The path, relative to the workspace if it lies there.
fn shown(file: &Path, context: &CallContext<'_>) -> String {
    file.strip_prefix(context.path_bases.workspace).unwrap_or(file).display().to_string()
}
