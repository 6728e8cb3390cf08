//! The capability matrix: which tools may be called while community skills are active or loaded.
//!
//! While it applies, an unknown tool is denied. `gateway` and `nodes` are denied as soon as one community skill is loaded.
//! One more active skill or one grant less never permits more. Every denial names the skill, the capability and the
//! command that would grant it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tarsus_home::settings::Enforcement;
use tarsus_protocol::authorize::{Inspector, Reason, Verdict};
use tarsus_protocol::capability::Capability;
use tarsus_protocol::grants::Consent;
use tarsus_text::shell_quoted;

use super::call::{Call, CallContext};
use crate::restricting_skill::{self, RestrictingSkill, UNKNOWN_SKILL};
use crate::sanitize::{printable, sanitize};
use crate::skill_permissions::{MissingCapability, SkillPermissions};
use tarsus_protocol::tool::{ToolId, ToolTier};

/// Skills that are named in one sentence.
const MAX_NAMED: usize = 5;
/// Characters of a skill's name in a command.
const MAX_NAME_CHARS: usize = 256;
/// Reasons of one call that name a single skill.
const MAX_REASONS: usize = 16;

pub(super) fn inspect(call: &Call, context: &CallContext<'_>) -> Vec<Reason> {
    let refusals = refusals(call, context);
    if refusals.is_empty() {
        return vec![allow("no community skill restricts this call")];
    }
    match context.enforcement {
        Enforcement::Off => refusals.into_iter().map(bypassed).collect(),
        Enforcement::Active | Enforcement::Loaded => refusals,
    }
}

/// Turns a denial into a reason that allows the call.
fn bypassed(refusal: Reason) -> Reason {
    let message = format!("enforcement is off; otherwise: {}", refusal.message);
    Reason { message: message.into(), verdict: Verdict::Allow, ..refusal }
}

/// Whether a reason marks a call that is allowed only because enforcement is off: it allows, and names a skill.
pub(super) fn is_bypass(reason: &Reason) -> bool {
    reason.inspector == Inspector::Capabilities && reason.verdict == Verdict::Allow && reason.skill.is_some()
}

/// Why the matrix denies a call, or asks about it; with enforcement off, would do so.
fn refusals(call: &Call, context: &CallContext<'_>) -> Vec<Reason> {
    let tool = ToolId::from_name(&call.tool);
    let name = sanitize(&call.tool);
    if tool.map(ToolId::tier) == Some(ToolTier::Denied) {
        let (active, dispatcher) = using(call, context);
        let loaded = context.skills.community().map(|skill| skill.name.as_str());
        let mut names = active.iter().chain(&dispatcher).map(RestrictingSkill::name).chain(loaded).peekable();
        return match names.peek() {
            None => Vec::new(),
            Some(_) => vec![always_denied(&name, names)],
        };
    }
    let (alone, loaded) = restricting(call, context);
    if alone.is_empty() && loaded.is_empty() {
        return Vec::new();
    }
    match tool.map(|tool| (tool, tool.tier())) {
        Some((_, ToolTier::Allowed)) if call.facts.changes_settings => {
            vec![no_settings(&name, restricting_names(&alone, &loaded))]
        }
        Some((_, ToolTier::Allowed | ToolTier::Denied)) => Vec::new(),
        None => vec![unknown_tool(&name, restricting_names(&alone, &loaded))],
        Some((tool, ToolTier::Needs(capability))) => {
            let lack = |skill: &SkillPermissions| {
                skill.permits(tool, capability, &call.facts, context.path_bases).err()
            };
            let one_by_one = alone.iter().filter_map(|skill| match skill {
                RestrictingSkill::Gone(name) => Some(changed_since_use(name, capability)),
                RestrictingSkill::Present(skill) => {
                    lack(skill).map(|lack| missing(&skill.name, capability, &lack))
                }
            });
            let mut reasons: Vec<Reason> = one_by_one.take(MAX_REASONS).collect();
            // `None` if at least one loaded skill permits the call.
            let together: Option<Vec<(&SkillPermissions, MissingCapability)>> =
                loaded.iter().map(|skill| Some((*skill, lack(skill)?))).collect();
            reasons.extend(together.and_then(|lacking| none_permits(capability, &lacking)));
            reasons
        }
    }
}

/// The community skills that are active, and the one whose command dispatched the call.
fn using<'a>(
    call: &'a Call,
    context: &CallContext<'a>,
) -> (Vec<RestrictingSkill<'a>>, Option<RestrictingSkill<'a>>) {
    let dispatcher = call
        .dispatched_by
        .as_ref()
        .and_then(|skill| restricting_skill::dispatching_skill(skill, context.skills));
    (restricting_skill::restricting_skills(context.skills, context.active), dispatcher)
}

/// The skills that must each permit a call, and those of which one is enough.
pub(super) fn restricting<'a>(
    call: &'a Call,
    context: &CallContext<'a>,
) -> (Vec<RestrictingSkill<'a>>, Vec<&'a SkillPermissions>) {
    // In the mode `loaded` one loaded skill with the capability is enough; every other active skill must have it, too.
    let loaded: Vec<&SkillPermissions> = match context.enforcement {
        Enforcement::Loaded => context.skills.community().collect(),
        Enforcement::Active | Enforcement::Off => Vec::new(),
    };
    let together =
        |skill: &RestrictingSkill<'_>| !loaded.is_empty() && matches!(skill, RestrictingSkill::Present(_));
    let (active, dispatcher) = using(call, context);
    let alone = active.into_iter().filter(|skill| !together(skill)).chain(dispatcher).collect();
    (alone, loaded)
}

fn allow(message: &'static str) -> Reason {
    Reason {
        inspector: Inspector::Capabilities,
        verdict: Verdict::Allow,
        message: Cow::Borrowed(message),
        skill: None,
        capability: None,
        remedy: None,
    }
}

fn deny(message: String, skill: Option<&str>, capability: Option<Capability>) -> Reason {
    Reason {
        verdict: Verdict::Deny,
        message: message.into(),
        skill: skill.map(sanitize),
        capability,
        ..allow("")
    }
}

fn always_denied<'a>(tool: &str, skills: impl Iterator<Item = &'a str>) -> Reason {
    let (first, names) = join_names(skills);
    deny(format!("{tool} is always denied while community skills are loaded: {names}"), first, None)
}

fn unknown_tool<'a>(tool: &str, skills: impl Iterator<Item = &'a str>) -> Reason {
    let (first, names) = join_names(skills);
    deny(
        format!(
            "{tool} is not a known tool, and unknown tools are denied because of community skills: {names}"
        ),
        first,
        None,
    )
}

/// No capability permits it: a tool that is always allowed only reads.
fn no_settings<'a>(tool: &str, skills: impl Iterator<Item = &'a str>) -> Reason {
    let (first, names) = join_names(skills);
    let message = format!("{tool} changes no settings of a session because of community skills: {names}");
    Reason { remedy: Some("/new".to_owned()), ..deny(message, first, None) }
}

fn restricting_names<'a>(
    alone: &'a [RestrictingSkill<'_>],
    loaded: &'a [&SkillPermissions],
) -> impl Iterator<Item = &'a str> {
    alone.iter().map(RestrictingSkill::name).chain(loaded.iter().map(|skill| skill.name.as_str()))
}

fn changed_since_use(name: &str, capability: Capability) -> Reason {
    let message = match name {
        UNKNOWN_SKILL => {
            format!("skills were active in this session that are no longer known; {capability} is missing")
        }
        name => format!(
            "the skill {} was changed or removed after it was used in this session; it lacks {capability}",
            sanitize(name)
        ),
    };
    Reason { remedy: Some("/new".to_owned()), ..deny(message, Some(name), Some(capability)) }
}

fn missing(name: &str, capability: Capability, lack: &MissingCapability) -> Reason {
    if let MissingCapability::Approval(what) = lack {
        return ask(name, capability, what);
    }
    let message = format!("the skill {} lacks {capability}: {}", sanitize(name), describe_missing(lack));
    Reason { remedy: Some(remedy(name, capability, lack)), ..deny(message, Some(name), Some(capability)) }
}

/// The skill has the capability, but leaves the call to the owner.
fn ask(name: &str, capability: Capability, what: &str) -> Reason {
    let message = format!("the skill {} restricts {capability}: {what}", sanitize(name));
    Reason { verdict: Verdict::Ask, ..deny(message, Some(name), Some(capability)) }
}

fn describe_missing(lack: &MissingCapability) -> &str {
    match lack {
        MissingCapability::NotDeclared => "it does not declare it",
        MissingCapability::Unseen(Consent::Widened) => {
            "it declares more than it did when it was last confirmed"
        }
        MissingCapability::Unseen(Consent::Changed) => "it has changed since it was last confirmed",
        MissingCapability::Unseen(_) => "it declares it, but nobody has confirmed that",
        MissingCapability::Void => "it has changed since this was granted",
        MissingCapability::Limit(why) | MissingCapability::Approval(why) => why,
    }
}

/// The command that gives a skill what it lacks. A declared capability is confirmed with its limits; a grant would lift
/// them.
fn remedy(name: &str, capability: Capability, lack: &MissingCapability) -> String {
    match lack {
        MissingCapability::Unseen(_) => skill_command("enable", name, None),
        MissingCapability::NotDeclared
        | MissingCapability::Void
        | MissingCapability::Limit(_)
        | MissingCapability::Approval(_) => skill_command("grant", name, Some(capability)),
    }
}

/// The denial that names all loaded skills, with the remedy for the one that is closest to having the capability; or
/// the question of one that has it and leaves the call to the owner.
fn none_permits(
    capability: Capability,
    lacking: &[(&SkillPermissions, MissingCapability)],
) -> Option<Reason> {
    let (nearest, lack) = lacking.iter().min_by_key(|(_, lack)| match lack {
        MissingCapability::Approval(_) => 0,
        MissingCapability::Limit(_) => 1,
        MissingCapability::Unseen(_) => 2,
        MissingCapability::Void => 3,
        MissingCapability::NotDeclared => 4,
    })?;
    if let MissingCapability::Approval(what) = lack {
        return Some(ask(&nearest.name, capability, what));
    }
    let (_, names) = join_names(lacking.iter().map(|(skill, _)| skill.name.as_str()));
    let message = format!(
        "no loaded community skill has {capability} for this call: {names}; closest is {}: {}",
        sanitize(&nearest.name),
        describe_missing(lack)
    );
    let remedy = Some(remedy(&nearest.name, capability, lack));
    Some(Reason { remedy, ..deny(message, Some(&nearest.name), Some(capability)) })
}

/// The first name, and all names joined for a sentence, without duplicates.
fn join_names<'a>(names: impl Iterator<Item = &'a str>) -> (Option<&'a str>, String) {
    let mut seen = BTreeSet::new();
    let all: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let mut list: Vec<String> = all.iter().take(MAX_NAMED).map(|name| sanitize(name)).collect();
    if all.len() > MAX_NAMED {
        list.push(format!("and {} more", all.len() - MAX_NAMED));
    }
    (all.first().copied(), list.join(", "))
}

/// A command that is safe to paste: the skill chooses its own name.
fn skill_command(verb: &str, name: &str, capability: Option<Capability>) -> String {
    let name: String = printable(name).take(MAX_NAME_CHARS).collect();
    let dashes = if name.starts_with('-') { " --" } else { "" };
    let capability = capability.map(|capability| format!(" {capability}")).unwrap_or_default();
    format!("tarsus skills {verb}{dashes} {}{capability}", shell_quoted(&name))
}
