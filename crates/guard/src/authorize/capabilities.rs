//! The capability matrix: what community skills may lead to.
//!
//! Promises: while it applies, a tool without a row is refused; `gateway` and `nodes` are refused as soon as one
//! community skill is in the snapshot; one more active skill or one grant less never permits more. Every refusal names
//! the skill, the capability and the command that would grant it. Leaves to others: which skills are active.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tarsus_home::settings::Enforcement;
use tarsus_protocol::authorize::{Inspector, Reason, Verdict};
use tarsus_protocol::capability::Capability;
use tarsus_protocol::grants::Consent;
use tarsus_protocol::text::shell_quoted;

use super::call::{Call, Context};
use crate::shown::{printable, shown};
use crate::standing::{Lack, Standing};
use crate::tools::{Tier, Tool};
use crate::voices::{self, SOME_SKILL, Voice};

/// At most so many skills are named in one sentence.
const MOST_NAMED: usize = 5;
/// At most so many characters of a skill's name are part of a command.
const LONGEST_NAME: usize = 256;
/// At most so many reasons of one call.
const MOST_REASONS: usize = 16;

pub(super) fn inspect(call: &Call, context: &Context<'_>) -> Vec<Reason> {
    let refusals = refusals(call, context);
    if refusals.is_empty() {
        return vec![allow("no community skill stands in the way")];
    }
    match context.enforcement {
        Enforcement::Off => refusals.into_iter().map(bypassed).collect(),
        Enforcement::Active | Enforcement::Loaded => refusals,
    }
}

/// A refusal that does not count.
fn bypassed(refusal: Reason) -> Reason {
    let message = format!("enforcement is switched off; else {}", refusal.message);
    Reason { message: message.into(), verdict: Verdict::Allow, ..refusal }
}

/// Whether a reason says that something was let through because enforcement is off: it permits, and names a skill.
pub(super) fn is_bypass(reason: &Reason) -> bool {
    reason.inspector == Inspector::Capabilities && reason.verdict == Verdict::Allow && reason.skill.is_some()
}

/// Why the matrix refuses a call; with enforcement off, why it would.
fn refusals(call: &Call, context: &Context<'_>) -> Vec<Reason> {
    let tool = Tool::named(&call.tool);
    let name = shown(&call.tool);
    let active = voices::active(context.skills, context.active);
    let dispatcher = call.dispatched_by.as_ref().and_then(|skill| voices::of(skill, context.skills));
    if tool.map(Tool::tier) == Some(Tier::Denied) {
        let loaded = context.skills.community().map(|skill| skill.name.as_str());
        let mut names = active.iter().chain(&dispatcher).map(Voice::name).chain(loaded).peekable();
        return match names.peek() {
            None => Vec::new(),
            Some(_) => vec![always(&name, names)],
        };
    }
    // In the mode `loaded` the skills of the snapshot are asked together; what else has a say is asked one by one.
    let loaded: Vec<&Standing> = match context.enforcement {
        Enforcement::Loaded => context.skills.community().collect(),
        Enforcement::Active | Enforcement::Off => Vec::new(),
    };
    let together = |voice: &Voice<'_>| !loaded.is_empty() && matches!(voice, Voice::Here(_));
    let alone: Vec<Voice<'_>> =
        active.into_iter().filter(|voice| !together(voice)).chain(dispatcher).collect();
    if alone.is_empty() && loaded.is_empty() {
        return Vec::new();
    }
    match tool.map(|tool| (tool, tool.tier())) {
        Some((_, Tier::Allowed | Tier::Denied)) => Vec::new(),
        None => {
            let names = alone.iter().map(Voice::name).chain(loaded.iter().map(|skill| skill.name.as_str()));
            vec![unplaced(&name, names)]
        }
        Some((tool, Tier::Needs(capability))) => {
            let lack = |skill: &Standing| skill.permits(tool, capability, &call.facts, context.places).err();
            let one_by_one = alone.iter().filter_map(|voice| match voice {
                Voice::Gone(name) => Some(gone(name, capability)),
                Voice::Here(skill) => lack(skill).map(|lack| lacks(&skill.name, capability, &lack)),
            });
            let mut reasons: Vec<Reason> = one_by_one.take(MOST_REASONS).collect();
            // One of them is enough; without any there is nobody to ask.
            let together: Option<Vec<(&Standing, Lack)>> =
                loaded.iter().map(|skill| Some((*skill, lack(skill)?))).collect();
            reasons.extend(together.and_then(|lacking| nobody_has(capability, &lacking)));
            reasons
        }
    }
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
        skill: skill.map(shown),
        capability,
        ..allow("")
    }
}

fn always<'a>(tool: &str, skills: impl Iterator<Item = &'a str>) -> Reason {
    let (first, names) = named(skills);
    deny(format!("{tool} is refused whatever is granted, because of community skills: {names}"), first, None)
}

fn unplaced<'a>(tool: &str, skills: impl Iterator<Item = &'a str>) -> Reason {
    let (first, names) = named(skills);
    deny(format!("{tool} is no tool that community skills may lead to, and there is {names}"), first, None)
}

fn gone(name: &str, capability: Capability) -> Reason {
    let message = match name {
        SOME_SKILL => format!("skills had a say here that are not known any more; {capability} is missing"),
        name => format!(
            "the skill {} changed or went away after it was used here; it lacks {capability}",
            shown(name)
        ),
    };
    Reason { remedy: Some("/new".to_owned()), ..deny(message, Some(name), Some(capability)) }
}

fn lacks(name: &str, capability: Capability, lack: &Lack) -> Reason {
    let message = format!("the skill {} lacks {capability}: {}", shown(name), why(lack));
    Reason { remedy: Some(remedy(name, capability, lack)), ..deny(message, Some(name), Some(capability)) }
}

fn why(lack: &Lack) -> &str {
    match lack {
        Lack::NotDeclared => "it does not ask for it",
        Lack::Unseen(Consent::Widened) => "it asks for more than when it was last shown",
        Lack::Unseen(Consent::Changed) => "it changed since it was last shown",
        Lack::Unseen(_) => "it asks for it, and nobody has confirmed that",
        Lack::Void => "it changed after this was granted",
        Lack::Limit(why) => why,
    }
}

/// The command that gives a skill what it lacks. What it asks for is confirmed as it is asked, limits and all; a grant
/// would lift them.
fn remedy(name: &str, capability: Capability, lack: &Lack) -> String {
    match lack {
        Lack::Unseen(_) => command("enable", name, None),
        Lack::NotDeclared | Lack::Void | Lack::Limit(_) => command("grant", name, Some(capability)),
    }
}

/// The refusal that names all of them, with the way out of the one that comes nearest to having it.
fn nobody_has(capability: Capability, lacking: &[(&Standing, Lack)]) -> Option<Reason> {
    let (nearest, lack) = lacking.iter().min_by_key(|(_, lack)| match lack {
        Lack::Limit(_) => 0,
        Lack::Unseen(_) => 1,
        Lack::Void => 2,
        Lack::NotDeclared => 3,
    })?;
    let (_, names) = named(lacking.iter().map(|(skill, _)| skill.name.as_str()));
    let message = format!(
        "no community skill here has {capability} for this: {names}; of {}: {}",
        shown(&nearest.name),
        why(lack)
    );
    let remedy = Some(remedy(&nearest.name, capability, lack));
    Some(Reason { remedy, ..deny(message, Some(&nearest.name), Some(capability)) })
}

/// The first of some names, and a list of them for a sentence; each once.
fn named<'a>(names: impl Iterator<Item = &'a str>) -> (Option<&'a str>, String) {
    let mut seen = BTreeSet::new();
    let all: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let mut list: Vec<String> = all.iter().take(MOST_NAMED).map(|name| shown(name)).collect();
    if all.len() > MOST_NAMED {
        list.push(format!("and {} more", all.len() - MOST_NAMED));
    }
    (all.first().copied(), list.join(", "))
}

/// A command about a skill, fit to be pasted: a name is the skill's own choice.
fn command(verb: &str, name: &str, capability: Option<Capability>) -> String {
    let name: String = printable(name).take(LONGEST_NAME).collect();
    let dashes = if name.starts_with('-') { " --" } else { "" };
    let capability = capability.map(|capability| format!(" {capability}")).unwrap_or_default();
    format!("tarsus skills {verb}{dashes} {}{capability}", shell_quoted(&name))
}
