//! What several tests set up: skills, decisions, calls and what calls are judged by.
#![allow(dead_code, reason = "not every test needs all of it")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::Path;

use serde_json::json;
use tarsus_guard::{
    Activation, Call, Context, Declared, Facts, Places, Said, SkillId, Skills, Standing, Subject,
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
pub fn subject(name: &str, natural: TrustTier, asks: &[Capability]) -> Subject {
    let names: Vec<&str> = asks.iter().map(|capability| capability.name()).collect();
    let declared = Declared::read(Some(&json!(names)));
    Subject { name: name.to_owned(), natural, hash: Some(hash('a')), declared }
}

pub fn id(name: &str) -> SkillId {
    SkillId { name: name.to_owned(), hash: Some(hash('a')) }
}

pub fn active(names: &[&str]) -> Activation {
    let mut active = Activation::default();
    for name in names {
        active.activate(id(name), TrustTier::Community, tarsus_guard::How::Read);
    }
    active
}

pub fn call(tool: &str) -> Call {
    Call { tool: tool.to_owned(), arguments: json!({"x": 1}), facts: Facts::default(), dispatched_by: None }
}

/// Nothing but the skills has anything against a call.
pub fn context<'a>(enforcement: Enforcement, skills: &'a Skills, active: &'a Activation) -> Context<'a> {
    Context {
        agent: "main",
        session: "agent:main:main",
        run: Some("run-1"),
        enforcement,
        skills,
        active,
        places: Places { workspace: Path::new("/w"), home: None },
        tool_policy: Said::allow("the agent has every tool"),
        sandbox: None,
        exec_policy: Some(Said::allow("on the list")),
        app_policy: Some(Said::allow("on the list")),
        budget: None,
        recent: &[],
    }
}

pub fn skills(standings: &[&Standing]) -> Skills {
    standings.iter().map(|standing| (*standing).clone()).collect()
}
