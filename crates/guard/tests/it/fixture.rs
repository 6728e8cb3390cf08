//! Shared fixtures: skills, decisions, calls and contexts.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;
use tarsus_guard::{
    Activation, Call, CallContext, CallFacts, DeclaredCapabilities, PathBases, PolicyVerdict, SkillId,
    SkillPermissions, SkillSet, SkillSubject,
};
use tarsus_home::settings::Enforcement;
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{ContentHash, Pinned};

pub fn hash(digit: char) -> ContentHash {
    digit.to_string().repeat(64).parse().unwrap()
}

pub fn pinned(digit: char, capabilities: &[Capability]) -> Pinned {
    Pinned { hash: hash(digit), capabilities: capabilities.iter().copied().collect() }
}

/// A skill whose folder has the hash `a`.
pub fn subject(name: &str, natural: TrustTier, asks: &[Capability]) -> SkillSubject {
    let names: Vec<&str> = asks.iter().map(|capability| capability.name()).collect();
    let declared = DeclaredCapabilities::parse(Some(&json!(names)));
    SkillSubject {
        name: name.to_owned(),
        natural,
        hash: Some(hash('a')),
        declared,
        critical: BTreeSet::new(),
    }
}

pub fn id(name: &str) -> SkillId {
    SkillId { name: name.to_owned(), hash: Some(hash('a')) }
}

pub fn active(names: &[&str]) -> Activation {
    let mut active = Activation::default();
    for name in names {
        active.activate(id(name), TrustTier::Community, tarsus_guard::ActivationCause::Read);
    }
    active
}

pub fn call(tool: &str) -> Call {
    Call {
        tool: tool.to_owned(),
        arguments: json!({"x": 1}),
        facts: CallFacts::default(),
        dispatched_by: None,
    }
}

/// A context in which only skills can deny a call.
pub fn context<'a>(
    enforcement: Enforcement,
    skills: &'a SkillSet,
    active: &'a Activation,
) -> CallContext<'a> {
    CallContext {
        agent: "main",
        session: "agent:main:main",
        run: Some("run-1"),
        enforcement,
        skills,
        active,
        path_bases: PathBases { workspace: Path::new("/w"), home: None },
        tool_policy: PolicyVerdict::allow("the agent has every tool"),
        app_policy: Some(PolicyVerdict::allow("on the list")),
        recent: &[],
    }
}

pub fn skills(skills: &[&SkillPermissions]) -> SkillSet {
    skills.iter().map(|permissions| (*permissions).clone()).collect()
}
